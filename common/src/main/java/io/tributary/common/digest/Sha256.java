package io.tributary.common.digest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, which every JDK has. */
public final class Sha256 {
    private Sha256() {}

    /** The digest of these bytes: 32 bytes. */
    public static byte[] of(byte[] bytes) {
        return begin().digest(bytes);
    }

    /** A digest of what comes in parts, which nothing has been added to. */
    public static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
