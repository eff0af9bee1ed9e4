package io.tributary.security.password;

import io.tributary.broker.security.Asker;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.NotMine;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.Authenticator.Result;
import io.tributary.common.digest.Sha256;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.security.password.PasswordHash.Argon2id;
import java.security.SecureRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether somebody knows what a user knows: the password, or a device token. A token is a secret of 256 bits that
 * nobody can guess, so one SHA-256 is enough; a password is checked with the slow hash that is stored. A user name that
 * is not there takes as long as one that is. Thread-safe.
 */
public final class CredentialCheck {
    /** A secret of 256 bits has at least so many characters, in Base64. */
    private static final int LEAST_TOKEN_BYTES = 43;

    private final Passwords passwords;
    private final IntFunction<@Nullable PasswordHash> anyOther;
    private final PasswordHash stranger = Argon2id.of(random(), random());

    /** What somebody has shown. */
    public enum Proof {
        /** The password of the user. */
        PASSWORD,
        /** A device token. */
        TOKEN
    }

    /**
     * What a user has.
     *
     * @param password the slow hash of the password, null for none
     * @param isToken whether the SHA-256 is that of a device token of the user
     * @param known the answer for somebody who knows one of them; asked then
     */
    public record Credentials(
            @Nullable PasswordHash password, Predicate<byte[]> isToken, Function<Proof, Result> known) {}

    /**
     * Creates one.
     *
     * @param anyOther the hash of some user for a number, of the same for the same number; null where there is none
     */
    public CredentialCheck(Passwords passwords, IntFunction<@Nullable PasswordHash> anyOther) {
        this.passwords = passwords;
        this.anyOther = anyOther;
    }

    /**
     * The answer to a client.
     *
     * @param name the user name
     * @param user what the user has, null when there is no such user
     * @return fails with a {@link java.util.concurrent.RejectedExecutionException} when too many wait, or the client is
     *     gone before it is its turn
     */
    public CompletionStage<Result> answer(String name, byte[] password, @Nullable Credentials user, Asker asker) {
        if (user == null) {
            return Authenticator.answer(new NotMine(() -> passwords.pretend(hashLike(name), password, asker)));
        }
        if (password.length >= LEAST_TOKEN_BYTES && user.isToken().test(Sha256.of(password))) {
            return Authenticator.answer(user.known().apply(Proof.TOKEN));
        }
        CompletionStage<Boolean> right = user.password() == null
                ? passwords.pretend(hashLike(name), password, asker)
                : passwords.check(name, user.password(), password, asker);
        return right.thenApply(yes -> yes
                ? user.known().apply(Proof.PASSWORD)
                : new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, words(password, user)));
    }

    /** For the log: clients are not told. */
    private static String words(byte[] password, Credentials user) {
        String token = password.length < LEAST_TOKEN_BYTES
                ? ""
                : ": if that is a device token, it was deleted, is past its end, or is another user's";
        return (user.password() == null ? "the user has no password, and this is none of its tokens" : "wrong password")
                + token;
    }

    /** For a name without a hash: that of another user, always of the same, so that it takes as long as that one. */
    private PasswordHash hashLike(String name) {
        PasswordHash other = anyOther.apply(passwords.unforeseeable(name));
        return other == null ? stranger : other;
    }

    private static byte[] random() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }
}
