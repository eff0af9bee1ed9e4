package io.tributary.security.store;

import io.tributary.broker.security.Asker;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.store.DeviceToken;
import io.tributary.broker.security.store.SecurityObject;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.broker.security.store.StoredUser;
import io.tributary.common.digest.Sha256;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.password.CredentialCheck;
import io.tributary.security.password.CredentialCheck.Credentials;
import io.tributary.security.password.CredentialCheck.Proof;
import io.tributary.security.password.PasswordHash;
import io.tributary.security.password.Passwords;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Users that the broker keeps, by user name, and password or device token. One who may not connect, or whose hash is
 * not well made, is refused like one with a wrong password.
 */
public final class StoreAuthenticator implements Authenticator {
    private final String realm;
    private final SecurityStore store;
    private final InstantSource clock;
    private final Passwords passwords;
    private final CredentialCheck check;
    private final HashReplacement replacement;

    StoreAuthenticator(String realm, AuthenticatorContext context, Passwords passwords) {
        this.realm = realm;
        store = context.store();
        clock = context.clock();
        this.passwords = passwords;
        check = new CredentialCheck(passwords, this::someHash);
        replacement = new HashReplacement(store, context.hashing());
        store.listen(this::changed);
    }

    /**
     * How one is configured.
     *
     * @param realm whose users it asks
     */
    public record Config(String realm) implements AuthenticatorConfig {
        @Override
        public Link open(String name, AuthenticatorContext context) {
            Passwords passwords = new Passwords(context.hashing(), System::nanoTime);
            return new Link(name, new StoreAuthenticator(realm, context, passwords));
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
        if (!store.isOpen()) {
            return Authenticator.answer(new Refused(ReasonCode.SERVER_UNAVAILABLE, "the store is not open"));
        }
        StoredUser user = store.user(realm, name);
        return AuthenticatorContext.busyWhenRejected(
                check.answer(name, password, user == null ? null : credentials(user, password), asker));
    }

    private Credentials credentials(StoredUser user, byte[] password) {
        PasswordHash hash = hashOf(user);
        return new Credentials(
                hash, sha256 -> token(user, sha256) != null, proof -> known(user, hash, password, proof));
    }

    private @Nullable DeviceToken token(StoredUser user, byte[] sha256) {
        DeviceToken token = store.token(sha256);
        return token != null && token.standsFor(user, sha256, clock.instant()) ? token : null;
    }

    /** The user as it is now: the check may have waited for others. */
    private Result known(StoredUser before, @Nullable PasswordHash hash, byte[] password, Proof proof) {
        StoredUser user = store.user(realm, before.name());
        if (user == null || user.serial() != before.serial() || !user.mayConnectAt(clock.instant())) {
            return new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "the user may not connect");
        }
        DeviceToken token = null;
        if (proof == Proof.TOKEN) {
            token = token(user, Sha256.of(password));
            if (token == null) {
                return new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "the device token has gone meanwhile");
            }
        } else if (!user.hasPasswordOf(before)) {
            return new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "the password has changed meanwhile");
        } else if (hash != null) {
            replacement.wasRight(before, hash, password);
        }
        Instant end = Stream.of(user.expires(), token == null ? null : token.expires())
                .filter(time -> time != null)
                .min(Instant::compareTo)
                .orElse(null);
        return new Accepted(user.kind(), user.principal(), end, user.attributes(), token == null ? null : token.id());
    }

    /** The hash of the user behind a place that nobody foresees; null also where many were removed there. */
    private @Nullable PasswordHash someHash(int number) {
        String place = StoredUser.idOf(realm, HexFormat.of().toHexDigits(number));
        return Stream.of(place, StoredUser.idOf(realm, ""))
                .flatMap(after -> Stream.ofNullable(store.next(SecurityTable.USERS, after)))
                .map(SecurityStore.Entry::object)
                .filter(object ->
                        object instanceof StoredUser user && user.realm().equals(realm))
                .findFirst()
                .map(object -> hashOf((StoredUser) object))
                .orElse(null);
    }

    private static @Nullable PasswordHash hashOf(StoredUser user) {
        try {
            return user.passwordHash() == null ? null : PasswordHash.parse(user.passwordHash());
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private void changed(SecurityTable table, @Nullable SecurityObject before, @Nullable SecurityObject now) {
        if (before instanceof StoredUser user && user.realm().equals(realm)) {
            passwords.forget(user.name());
        }
    }
}
