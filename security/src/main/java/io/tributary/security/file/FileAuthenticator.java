package io.tributary.security.file;

import io.tributary.broker.security.Asker;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.password.CredentialCheck;
import io.tributary.security.password.CredentialCheck.Credentials;
import io.tributary.security.password.PasswordHash;
import io.tributary.security.password.Passwords;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Users in a file, by user name, and password or token: {@link CredentialCheck} compares. The file is read again when
 * it changes.
 */
public final class FileAuthenticator implements Authenticator {
    private final String realm;
    private final WatchedUsers users;
    private final CredentialCheck check;

    FileAuthenticator(String realm, WatchedUsers users, Passwords passwords) {
        this.realm = realm;
        this.users = users;
        check = new CredentialCheck(passwords, number -> {
            User other = users.any(number);
            return other == null ? null : other.password();
        });
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
        return authenticate(client, password, Asker.UNKNOWN);
    }

    @Override
    public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password, Asker asker) {
        String name = client.userName();
        if (name == null || password == null) {
            return Authenticator.answer(NotMine.PLAIN);
        }
        User user = users.get(name);
        Credentials known = user == null ? null : new Credentials(user.password(), user::hasToken, _ -> accepted(user));
        return AuthenticatorContext.busyWhenRejected(check.answer(name, password, known, asker));
    }

    private Accepted accepted(User user) {
        return new Accepted(user.kind(), user.principal(realm), null, user.attributes());
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
}
