package io.tributary.broker.connection;

import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.BanList;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.broker.security.OnRevocation;
import io.tributary.broker.security.Revocations;
import io.tributary.broker.security.SessionTakeover;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides which clients may connect, as which kind of client, and what each may do.
 *
 * @param authenticator asked for each CONNECT without an authentication method
 * @param enhanced the methods of enhanced authentication, by name
 * @param authorizer asked for each subscription, each will and each delivery
 * @param clientRules which clients are applications, where the authenticator does not say so
 * @param takeover who gets a session that is there
 * @param bans who may not connect, whatever the authenticators say
 * @param revocations what is taken from clients that are connected
 * @param backEnds the client identifier as which back-ends publish, which no client may have; null where there are none
 */
public record AccessControl(
        Authenticator authenticator,
        Map<String, EnhancedAuthenticator> enhanced,
        Authorizer authorizer,
        ClientRules clientRules,
        SessionTakeover takeover,
        BanList bans,
        Revocations revocations,
        @Nullable String backEnds) {

    /** Copies the map. */
    public AccessControl {
        enhanced = Map.copyOf(enhanced);
    }

    /** The same, where clients that lose a subscription stay connected. */
    public AccessControl(
            Authenticator authenticator,
            Map<String, EnhancedAuthenticator> enhanced,
            Authorizer authorizer,
            ClientRules clientRules,
            SessionTakeover takeover,
            BanList bans) {
        this(
                authenticator,
                enhanced,
                authorizer,
                clientRules,
                takeover,
                bans,
                new Revocations(OnRevocation.REMOVE, (_, _) -> {}),
                null);
    }
}
