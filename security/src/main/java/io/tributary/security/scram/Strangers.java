package io.tributary.security.scram;

import io.tributary.security.file.User;
import io.tributary.security.password.ScramCredential;
import io.tributary.security.password.ScramCredential.Mechanism;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What is shown of user names that nobody has: for one name the same at all nodes with the same users, and after each
 * start, as of names that somebody has. It follows from secrets of the first and the last user by name together: no
 * user knows more than its own. Numbers of iterations are shared out as users have them, by a place in their order: one
 * user more or less changes those of few names. Thread-safe.
 */
final class Strangers {
    private static final int SALT_BYTES = 16;

    private final Mechanism mechanism;
    private final List<Integer> iterations;
    private final byte[] key;

    /** Takes the users, of which those without the mechanism do not count. */
    Strangers(Mechanism mechanism, Map<String, User> users) {
        this.mechanism = mechanism;
        List<ScramCredential> known = new TreeMap<>(users)
                .values().stream()
                        .flatMap(user -> Stream.ofNullable(user.scram().get(mechanism.method())))
                        .toList();
        iterations = known.stream().map(ScramCredential::iterations).sorted().toList();
        key = known.isEmpty()
                ? utf8(mechanism.method()) // nobody is there to be told from strangers
                : mac(known.getFirst().serverKey(), known.getLast().serverKey());
    }

    /** What to show of a name; the keys fit no password. */
    ScramCredential credential(String userName) {
        byte[] own = mac(key, utf8(userName));
        long place = Integer.toUnsignedLong(
                ByteBuffer.wrap(own, SALT_BYTES, Integer.BYTES).getInt());
        int likeOther = iterations.isEmpty()
                ? ScramCredential.LEAST_ITERATIONS
                : iterations.get((int) ((place * iterations.size()) >>> Integer.SIZE));
        byte[] keys = new byte[mechanism.bytes()];
        new SecureRandom().nextBytes(keys);
        return new ScramCredential(mechanism, likeOther, Arrays.copyOf(own, SALT_BYTES), keys, keys);
    }

    private byte[] mac(byte[] secret, byte[] text) {
        try {
            return ScramExchange.mac(mechanism, secret, text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + mechanism.mac(), e);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
