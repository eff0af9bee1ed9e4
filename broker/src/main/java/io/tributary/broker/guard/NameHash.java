package io.tributary.broker.guard;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Stands for names of any length in a table: 128 bits of a keyed hash. Nobody outside can foresee which names share
 * one, and it is of no use outside this process.
 */
record NameHash(long high, long low) {
    private static final String ALGORITHM = "HmacSHA256";
    private static final SecretKeySpec KEY = new SecretKeySpec(random(), ALGORITHM);

    /** That of some names, in their order. */
    static NameHash of(String... names) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(KEY);
            for (String name : names) {
                byte[] text = name.getBytes(StandardCharsets.UTF_8);
                mac.update(
                        ByteBuffer.allocate(Integer.BYTES).putInt(text.length).flip());
                mac.update(text);
            }
            ByteBuffer hash = ByteBuffer.wrap(mac.doFinal());
            return new NameHash(hash.getLong(), hash.getLong());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    private static byte[] random() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }
}
