package io.tributary.broker.security;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.UserProperty;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a client. Of a client that is accepted it is all, in one object until the connection ends, or the
 * client authenticates again and something else is known of it; listeners get the first one to the end. Authenticators
 * at CONNECT get another one, with what the client says of itself. Of a session that is looked at without its
 * connection it is the identifier and most often the kind and the principal, and the rest is null or empty: see {@link
 * #isConnectionKnown}.
 *
 * @param clientId the client identifier as the client knows it, also when the broker assigned it; clients of several
 *     tenants may have the same
 * @param userName the user name in CONNECT, or null
 * @param version the version of MQTT that it speaks; null where its connection is not known
 * @param remoteAddress host and port of the client, behind whatever proxies that say so, for people to read; null where
 *     its connection is not known
 * @param listener the name of the listener that it came through; null where its connection is not known
 * @param certificateSubject the distinguished name in the TLS certificate that it proved to own, to this broker or to a
 *     proxy that the listener trusts, as RFC 2253 writes it; null without one
 * @param userProperties the user properties in CONNECT, in their order; none before MQTT 5. As large as the listener's
 *     limit of a CONNECT allows until it is authenticated; then those that fit into 4,096 bytes of memory, where each
 *     takes 120 besides its text
 * @param kind what kind of client it is, and where its messages wait while it is away; {@link ClientKind#DEVICE} until
 *     it is authenticated; null where it is not known
 * @param certificate the TLS certificate that it proved to own and that the listener's authorities have signed; null
 *     without one, and once it is authenticated
 * @param principal who it is; {@link Principal#ANONYMOUS} until it is authenticated, null where it is not known
 * @param attributes what else the authenticator knows of it; none where its connection is not known
 * @param credential which credential of its principal it has shown, as {@link Authenticator.Accepted} has it; null
 *     where that has no name, or its connection is not known
 */
public record ClientInfo(
        String clientId,
        @Nullable String userName,
        @Nullable ProtocolVersion version,
        @Nullable String remoteAddress,
        @Nullable String listener,
        @Nullable String certificateSubject,
        List<UserProperty> userProperties,
        @Nullable ClientKind kind,
        @Nullable X509Certificate certificate,
        @Nullable Principal principal,
        Map<String, String> attributes,
        @Nullable String credential) {

    private static final int MOST_KEPT_BYTES = 4_096;

    /** Copies the list and the map. */
    public ClientInfo {
        userProperties = List.copyOf(userProperties);
        attributes = Map.copyOf(attributes);
    }

    /** One that has shown no credential with a name. */
    public ClientInfo(
            String clientId,
            @Nullable String userName,
            @Nullable ProtocolVersion version,
            @Nullable String remoteAddress,
            @Nullable String listener,
            @Nullable String certificateSubject,
            List<UserProperty> userProperties,
            @Nullable ClientKind kind,
            @Nullable X509Certificate certificate,
            @Nullable Principal principal,
            Map<String, String> attributes) {
        this(
                clientId,
                userName,
                version,
                remoteAddress,
                listener,
                certificateSubject,
                userProperties,
                kind,
                certificate,
                principal,
                attributes,
                null);
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

    /** A client of which nothing is known but its identifier inside the broker and, unless null, its kind. */
    public static ClientInfo named(String clientId, @Nullable ClientKind kind) {
        return away(clientId, kind, null);
    }

    /**
     * A client of which nothing is known but its identifier inside the broker and, unless null, its kind and its
     * principal.
     */
    public static ClientInfo away(String idInside, @Nullable ClientKind kind, @Nullable Principal principal) {
        String clientId = TenantNames.visible(idInside);
        return new ClientInfo(clientId, null, null, null, null, null, List.of(), kind, null, principal, Map.of());
    }

    /**
     * Whether user name, version, address, listener, certificate, user properties and attributes are those of a
     * connection. They are not known where a message meets a session that is away, on another node, or persistent,
     * where a will is published (at CONNECT it was asked about with the connection), and where a back-end's message is.
     */
    public boolean isConnectionKnown() {
        return version != null;
    }

    /** Whether it is known to speak MQTT 5. */
    public boolean isMqtt5() {
        return version != null && version.isMqtt5();
    }

    /**
     * The same client once it is accepted: under the identifier that holds, of that kind, and that principal. Of its
     * user properties it has those that may be kept for as long as it is connected.
     *
     * @param how what else the authenticator says
     */
    public ClientInfo accepted(
            String newClientId, ClientKind newKind, Principal newPrincipal, Authenticator.Accepted how) {
        return new ClientInfo(
                newClientId,
                userName,
                version,
                remoteAddress,
                listener,
                certificateSubject,
                kept(userProperties),
                newKind,
                null,
                newPrincipal,
                how.attributes(),
                how.credential());
    }

    private static List<UserProperty> kept(List<UserProperty> properties) {
        List<UserProperty> kept = new ArrayList<>();
        int bytes = 0;
        for (UserProperty property : properties) {
            int size = property.memoryBytes();
            if (bytes + size <= MOST_KEPT_BYTES) {
                kept.add(property);
                bytes += size;
            }
        }
        return kept;
    }

    /**
     * The tenant whose client it is; {@link TenantNames#BROKER} of the broker's own; null for none, and where the
     * principal is not known.
     */
    public @Nullable String tenant() {
        if (principal == null) {
            return null;
        }
        return principal.isBroker() ? TenantNames.BROKER : principal.tenant();
    }

    /**
     * The identifier inside the broker, {@link TenantNames#clientId}: sessions, stores and messages are under it. Only
     * where the principal is known.
     */
    public String idInside() {
        return TenantNames.clientId(tenant(), clientId);
    }

    /** Whether it is known to be an application. */
    public boolean isApplication() {
        return kind != null && kind.isApplication();
    }
}
