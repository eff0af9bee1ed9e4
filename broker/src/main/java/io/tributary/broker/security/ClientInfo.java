package io.tributary.broker.security;

import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.UserProperty;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
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
 * @param certificate the TLS certificate that it proved to own and that the listener's authorities have signed; null
 *     without one, and once it is authenticated
 * @param principal who it is; {@link Principal#ANONYMOUS} until it is authenticated
 * @param attributes what else the authenticator knows of it
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
        @Nullable X509Certificate certificate,
        Principal principal,
        Map<String, String> attributes) {

    /** Copies the list and the map. */
    public ClientInfo {
        userProperties = List.copyOf(userProperties);
        attributes = Map.copyOf(attributes);
    }

    /** One that is not authenticated, and of whose certificate nothing but the subject is known. */
    public ClientInfo(
            String clientId,
            @Nullable String userName,
            ProtocolVersion version,
            String remoteAddress,
            String listener,
            @Nullable String certificateSubject,
            List<UserProperty> userProperties,
            ClientKind kind) {
        this(
                clientId,
                userName,
                version,
                remoteAddress,
                listener,
                certificateSubject,
                userProperties,
                kind,
                null,
                Principal.ANONYMOUS,
                Map.of());
    }

    /** A device without certificate and user properties. */
    public ClientInfo(
            String clientId,
            @Nullable String userName,
            ProtocolVersion version,
            String remoteAddress,
            String listener) {
        this(clientId, userName, version, remoteAddress, listener, null, List.of(), ClientKind.DEVICE);
    }

    /** The same client once it is accepted: under the identifier that holds, and of that kind. */
    public ClientInfo accepted(String newClientId, ClientKind newKind, Accepted accepted) {
        return new ClientInfo(
                newClientId,
                userName,
                version,
                remoteAddress,
                listener,
                certificateSubject,
                userProperties,
                newKind,
                null,
                accepted.principal(),
                accepted.attributes());
    }

    /** The same client, with the certificate that it has shown. */
    public ClientInfo withCertificate(@Nullable X509Certificate shown) {
        return new ClientInfo(
                clientId,
                userName,
                version,
                remoteAddress,
                listener,
                certificateSubject,
                userProperties,
                kind,
                shown,
                principal,
                attributes);
    }

    /** Whether it is an application; else it is a device. */
    public boolean isApplication() {
        return kind.isApplication();
    }
}
