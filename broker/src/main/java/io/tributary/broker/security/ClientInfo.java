package io.tributary.broker.security;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a connected client.
 *
 * @param clientId the client identifier, also when the broker assigned it
 * @param userName the user name in CONNECT, or null
 * @param version the version of MQTT that it speaks
 * @param remoteAddress host and port of the other side, for people to read
 * @param listener the name of the listener that it came through
 * @param certificateSubject the distinguished name in the TLS certificate that it proved to own, as RFC 2253 writes it;
 *     null without one
 * @param userProperties the user properties in CONNECT, in their order; none before MQTT 5. As large as the listener's
 *     limit of a CONNECT allows
 * @param kind what kind of client it is, and where its messages wait while it is away; {@link ClientKind#DEVICE} until
 *     it is authenticated
 * @param principal who it is; {@link Principal#ANONYMOUS} until it is authenticated
 */
public record ClientInfo(
        String clientId,
        @Nullable String userName,
        ProtocolVersion version,
        String remoteAddress,
        String listener,
        @Nullable String certificateSubject,
        List<UserProperty> userProperties,
        ClientKind kind,
        Principal principal) {

    /** Copies the list. */
    public ClientInfo {
        userProperties = List.copyOf(userProperties);
    }

    /** A device without certificate and user properties. */
    public ClientInfo(
            String clientId,
            @Nullable String userName,
            ProtocolVersion version,
            String remoteAddress,
            String listener) {
        this(
                clientId,
                userName,
                version,
                remoteAddress,
                listener,
                null,
                List.of(),
                ClientKind.DEVICE,
                Principal.ANONYMOUS);
    }

    /** The same client once it is accepted: under the identifier that holds, of that kind, and that principal. */
    public ClientInfo accepted(String newClientId, ClientKind newKind, Principal newPrincipal) {
        return new ClientInfo(
                newClientId,
                userName,
                version,
                remoteAddress,
                listener,
                certificateSubject,
                userProperties,
                newKind,
                newPrincipal);
    }

    /** Whether it is an application; else it is a device. */
    public boolean isApplication() {
        return kind.isApplication();
    }
}
