package io.tributary.broker;

import io.tributary.broker.security.Revocations;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks each second whether all nodes that serve clients have the same rules in their configuration, as they have not
 * while it is changed at one after the other. Meanwhile this node's rules take no subscription from a persistent
 * session: it may be one that only the rules of another node allow. Whoever forgets a node is warned after a minute.
 */
final class ConfiguredRules {
    /** For how long they may differ before that is worth a warning. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(ConfiguredRules.class);

    private final Supplier<List<String>> others;
    private final Revocations revocations;
    private final LongSupplier nanoTime;
    private volatile List<String> warnings = List.of();

    // On the thread of tick.
    private boolean doDiffer;
    private long sinceNanos;

    /** @param others the names of the other nodes that have others, or may have */
    ConfiguredRules(Supplier<List<String>> others, Revocations revocations, LongSupplier nanoTime) {
        this.others = others;
        this.revocations = revocations;
        this.nanoTime = nanoTime;
    }

    /** Before anything is taken, and then about once a second. */
    void tick() {
        List<String> names = others.get();
        revocations.hold(!names.isEmpty());
        if (names.isEmpty()) {
            doDiffer = false;
            warn(List.of());
            return;
        }
        if (!doDiffer) {
            doDiffer = true;
            sinceNanos = nanoTime.getAsLong();
        }
        if (nanoTime.getAsLong() - sinceNanos >= PATIENCE.toNanos()) {
            warn(List.of("the configuration has other rules (tributary.security.rules) here than at %s, or they are not"
                            .formatted(String.join(", ", names))
                    + " known: until all nodes have the same, rules take no subscription from a persistent session"));
        }
    }

    private void warn(List<String> now) {
        if (!now.equals(warnings)) {
            now.forEach(LOG::warn);
            warnings = now;
        }
    }

    /** A sentence while they have differed for long, else nothing; any thread. */
    List<String> warnings() {
        return warnings;
    }
}
