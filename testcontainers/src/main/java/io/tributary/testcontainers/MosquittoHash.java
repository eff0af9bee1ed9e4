package io.tributary.testcontainers;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** A line of a password file as {@code mosquitto_passwd} writes it, which takes the JDK alone. */
final class MosquittoHash {
    private static final int ITERATIONS = 101; // few, as Mosquitto has: the passwords of a test are no secret
    private static final int SALT_BYTES = 12;
    private static final int HASH_BITS = 512;

    private MosquittoHash() {}

    /** {@code NAME:$7$ITERATIONS$SALT$HASH}. */
    static String line(String name, String password) {
        byte[] salt = new byte[SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        Base64.Encoder base64 = Base64.getEncoder();
        return name + ":$7$" + ITERATIONS + "$" + base64.encodeToString(salt) + "$"
                + base64.encodeToString(hash(password, salt));
    }

    private static byte[] hash(String password, byte[] salt) {
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512") // which takes the UTF-8 of the characters
                    .generateSecret(new PBEKeySpec(password.toCharArray(), salt, ITERATIONS, HASH_BITS))
                    .getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no PBKDF2 with SHA-512", e);
        }
    }
}
