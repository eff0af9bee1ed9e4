package io.tributary.broker.security.rules;

import io.tributary.common.digest.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * A number that is the same for rule sets that decide alike because they are written alike, in whatever process; names
 * of rule sets, and the order of what is after {@code for}, decide nothing.
 */
final class RuleDigest {
    private final MessageDigest sha256 = Sha256.begin();

    private RuleDigest() {}

    /** That of the rule sets in their order; 0 when there are none. */
    static long of(List<RuleSet> sets) {
        if (sets.isEmpty()) {
            return 0;
        }
        RuleDigest digest = new RuleDigest();
        sets.forEach(digest::add);
        return ByteBuffer.wrap(digest.sha256.digest()).getLong();
    }

    private void add(RuleSet set) {
        Audience audience = set.audience();
        for (Collection<?> values : List.of(
                audience.groups(),
                audience.users(),
                Set.copyOf(audience.clientIds()),
                audience.listeners(),
                Set.copyOf(audience.addresses()))) {
            add(values.size());
            values.stream().map(Object::toString).sorted().forEach(this::add);
        }
        add(set.rules().size());
        for (Rule rule : set.rules()) {
            add(rule.effect().name());
            add(rule.action().name());
            add(rule.topic().toString());
            add(rule.maxQos().code());
            add(rule.retain().name());
        }
    }

    /** With its length, so that no two lists of texts are the same bytes. */
    private void add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        add(bytes.length);
        sha256.update(bytes);
    }

    private void add(int number) {
        sha256.update(ByteBuffer.allocate(Integer.BYTES).putInt(number).flip());
    }
}
