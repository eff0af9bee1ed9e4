package io.tributary.security.scram;

import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.file.User;
import io.tributary.security.file.WatchedUsers;
import io.tributary.security.password.ScramCredential;
import io.tributary.security.password.ScramCredential.Mechanism;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * SCRAM (RFC 5802, RFC 7677) with one hash function, for users in a file; by MQTT 5 enhanced authentication. A user
 * that is not there gets a salt as one that is, and fails at the end.
 */
public final class ScramAuthenticator implements EnhancedAuthenticator {
    private static final int NONCE_BYTES = 18;

    private final Mechanism mechanism;
    private final String realm;
    private final WatchedUsers users;
    private final Supplier<String> nonces;
    private volatile Strangers strangers;

    ScramAuthenticator(Mechanism mechanism, String realm, WatchedUsers users, Supplier<String> nonces) {
        this.mechanism = mechanism;
        this.realm = realm;
        this.users = users;
        this.nonces = nonces;
        strangers = new Strangers(mechanism, users.all());
        users.onChange(changed -> strangers = new Strangers(mechanism, changed));
    }

    /**
     * How one is configured: both hash functions.
     *
     * @param file the users, of YAML
     * @param realm what the user names are unique in
     */
    public record Config(Path file, String realm) implements AuthenticatorConfig {
        @Override
        public Link open(String name, AuthenticatorContext context) {
            WatchedUsers users = new WatchedUsers(name, file);
            SecureRandom random = new SecureRandom();
            List<EnhancedAuthenticator> methods = Arrays.stream(Mechanism.values())
                    .<EnhancedAuthenticator>map(
                            mechanism -> new ScramAuthenticator(mechanism, realm, users, () -> nonce(random)))
                    .toList();
            return new Link(name, (_, _) -> Authenticator.answer(Authenticator.NotMine.PLAIN), methods, users::close);
        }
    }

    @Override
    public String method() {
        return mechanism.method();
    }

    @Override
    public Exchange begin(ClientInfo client) {
        return new ScramExchange(this, Objects.requireNonNull(client.principal()), nonces.get());
    }

    /** What is known of a user; of one that is not there, what nobody can tell from it. */
    ScramCredential credential(String userName) {
        User user = users.get(userName);
        ScramCredential own = user == null ? null : user.scram().get(mechanism.method());
        return own == null ? strangers.credential(userName) : own;
    }

    /** The user, when it may log in by this mechanism. */
    @Nullable
    Accepted accepted(String userName) {
        User user = users.get(userName);
        return user == null || !user.scram().containsKey(mechanism.method())
                ? null
                : new Accepted(user.kind(), user.principal(realm), null, user.attributes());
    }

    private static String nonce(SecureRandom random) {
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }
}
