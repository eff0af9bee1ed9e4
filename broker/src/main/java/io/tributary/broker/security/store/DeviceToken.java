package io.tributary.broker.security.store;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A secret of 256 bits that stands for a user's password. Of the secret there is only the SHA-256: nobody can guess it,
 * so nothing slower is needed. The id is the beginning of the SHA-256, so that it is found by the secret.
 *
 * @param sha256 the SHA-256 of the secret; not to be changed
 * @param user the id of the user
 * @param userSerial the {@link StoredUser#serial} of the user
 * @param description what people call it, null without
 * @param expires when it is void, null for never
 */
@SuppressWarnings("ArrayRecordComponent") // equals compares what is in it
public record DeviceToken(
        byte[] sha256,
        String user,
        long userSerial,
        @Nullable String description,
        @Nullable Instant expires) implements SecurityObject {
    private static final int SECRET_BYTES = 32;
    private static final int ID_BYTES = 16;

    /** Checks what is given. */
    public DeviceToken {
        if (sha256.length != SECRET_BYTES) {
            throw new IllegalArgumentException("a SHA-256 has 32 bytes, not " + sha256.length);
        }
        SecurityObject.checkName("the user", user.replace(':', '_'));
        SecurityObject.checkText("the description", description, MOST_TEXT_BYTES);
    }

    /** A new secret. */
    public static String newSecret() {
        byte[] random = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    /** The id of a token with this SHA-256. */
    public static String idOf(byte[] sha256) {
        return HexFormat.of().formatHex(sha256, 0, ID_BYTES);
    }

    @Override
    public String id() {
        return idOf(sha256);
    }

    @Override
    public SecurityTable table() {
        return SecurityTable.TOKENS;
    }

    /** Whether a secret with this SHA-256 stands for the user at a time. */
    public boolean standsFor(StoredUser owner, byte[] secretSha256, Instant now) {
        boolean same = MessageDigest.isEqual(sha256, secretSha256);
        return same
                && owner.serial() == userSerial
                && owner.id().equals(user)
                && (expires == null || now.isBefore(expires));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DeviceToken that
                && Arrays.equals(sha256, that.sha256)
                && user.equals(that.user)
                && userSerial == that.userSerial
                && Objects.equals(description, that.description)
                && Objects.equals(expires, that.expires);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(sha256);
    }

    /** Its id alone. */
    @Override
    public String toString() {
        return "token " + id();
    }
}
