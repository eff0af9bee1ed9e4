package io.tributary.security.file;

import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.password.PasswordHash;
import io.tributary.security.password.PasswordHash.Argon2id;
import io.tributary.security.password.Passwords;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Users in a file, by user name, and password or token. A token is a secret of 256 bits that nobody can guess, so one
 * SHA-256 is enough; a password is checked with the slow hash that is stored. A user name that is not in the file takes
 * as long as one that is.
 */
public final class FileAuthenticator implements Authenticator {
    private final String realm;
    private final WatchedUsers users;
    private final Passwords passwords;
    private final PasswordHash stranger = Argon2id.of(random(), random());

    FileAuthenticator(String realm, WatchedUsers users, Passwords passwords) {
        this.realm = realm;
        this.users = users;
        this.passwords = passwords;
        users.onChange(changed -> passwords.keepOnly(hashes(changed)));
    }

    /**
     * How one is configured.
     *
     * @param file the users, of YAML or as Mosquitto writes them
     * @param realm what the user names are unique in
     */
    public record Config(Path file, String realm) implements AuthenticatorConfig {
        @Override
        public Link open(String name, AuthenticatorContext context) {
            WatchedUsers users = new WatchedUsers(name, file);
            Passwords passwords = new Passwords(context.hashing(), System::nanoTime);
            return new Link(name, new FileAuthenticator(realm, users, passwords), List.of(), users::close);
        }
    }

    @Override
    public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password) {
        String name = client.userName();
        if (name == null || password == null) {
            return Authenticator.answer(NotMine.PLAIN);
        }
        User user = users.get(name);
        if (user == null) {
            return Authenticator.answer(new NotMine(() -> passwords.pretend(hashLike(name), password)));
        }
        if (password.length >= User.LEAST_TOKEN_BYTES && user.hasToken(sha256(password))) {
            return Authenticator.answer(accepted(user));
        }
        CompletionStage<Boolean> right = user.password() == null
                ? passwords.pretend(hashLike(name), password)
                : passwords.check(name, user.password(), password);
        return AuthenticatorContext.busyWhenRejected(right.thenApply(
                yes -> yes ? accepted(user) : new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "wrong password")));
    }

    private Accepted accepted(User user) {
        return new Accepted(user.kind(), user.principal(realm), null, user.attributes());
    }

    /** For a name without a hash: that of another user, always of the same, so that it takes as long as that one. */
    private PasswordHash hashLike(String name) {
        User other = users.any(passwords.unforeseeable(name));
        return other == null || other.password() == null ? stranger : other.password();
    }

    private static Map<String, PasswordHash> hashes(Map<String, User> users) {
        Map<String, PasswordHash> hashes = new HashMap<>();
        users.forEach((name, user) -> {
            if (user.password() != null) {
                hashes.put(name, user.password());
            }
        });
        return hashes;
    }

    private static byte[] random() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    private static byte[] sha256(byte[] secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
