package io.tributary.broker.subscription;

import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Permissions;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.Principal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A session that has subscriptions. Two are equal when they name the same session, whatever is known of its client. */
public final class Subscriber {
    private final String clientId;
    private final boolean persistent;
    private final long identity;
    private final @Nullable String node;
    private final ClientKind kind;
    private final @Nullable Principal principal;

    /** The client as its connection knows it; null elsewhere. */
    private final @Nullable ClientInfo connected;

    /**
     * Creates one.
     *
     * @param clientId its client identifier
     * @param persistent whether the session outlives its connection: its messages then go through a log
     * @param identity the session's identity when it is persistent, the connection's number on its node otherwise
     * @param node the other node that a transient session is on; null when it is on this one, or persistent
     * @param kind where the messages of a persistent session wait, and would of a transient one
     * @param principal whose session it is; null where that is not known
     */
    public Subscriber(
            String clientId,
            boolean persistent,
            long identity,
            @Nullable String node,
            ClientKind kind,
            @Nullable Principal principal) {
        this(clientId, persistent, identity, node, kind, principal, null);
    }

    private Subscriber(
            String clientId,
            boolean persistent,
            long identity,
            @Nullable String node,
            ClientKind kind,
            @Nullable Principal principal,
            @Nullable ClientInfo connected) {
        this.clientId = clientId;
        this.persistent = persistent;
        this.identity = identity;
        this.node = node;
        this.kind = kind;
        this.principal = principal;
        this.connected = connected;
    }

    /** A device's persistent session, or a transient one of this node. */
    public Subscriber(String clientId, boolean persistent, long identity) {
        this(clientId, persistent, identity, null);
    }

    /** A device's session. */
    public Subscriber(String clientId, boolean persistent, long identity, @Nullable String node) {
        this(clientId, persistent, identity, node, ClientKind.DEVICE, null);
    }

    /** The transient session of a connection of this node. */
    public static Subscriber connected(ClientInfo client, long connection) {
        return new Subscriber(
                client.idInside(),
                false,
                connection,
                null,
                client.kind() == null ? ClientKind.DEVICE : client.kind(),
                client.principal(),
                client);
    }

    /** A subscriber of the embedding application; the number is below zero, which no connection's is. */
    public static Subscriber inProcess(long number) {
        return new Subscriber("", false, number);
    }

    /** Its client identifier. */
    public String clientId() {
        return clientId;
    }

    /** Whether the session outlives its connection: its messages then go through a log. */
    public boolean persistent() {
        return persistent;
    }

    /** The session's identity when it is persistent, the connection's number on its node otherwise. */
    public long identity() {
        return identity;
    }

    /** The other node that a transient session is on; null when it is on this one, or persistent. */
    public @Nullable String node() {
        return node;
    }

    /** Where the messages of a persistent session wait, and would of a transient one. */
    public ClientKind kind() {
        return kind;
    }

    /** Whose session it is; null where that is not known. */
    public @Nullable Principal principal() {
        return principal;
    }

    /**
     * Its client: all of it for a transient session of this node, else the identifier, the kind and, as far as it is
     * known, the principal; of a transient session on another node, the identifier alone.
     */
    public ClientInfo client() {
        return connected != null ? connected : ClientInfo.away(clientId, node == null ? kind : null, principal);
    }

    /** What its client may do, as far as that can be told here. */
    Permissions permissions(Authorizer authorizer) {
        return connected != null ? authorizer.bind(connected) : authorizer.bindAway(client());
    }

    /** Whether this is the embedding application and no client. */
    public boolean isInProcess() {
        return !persistent && identity < 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Subscriber that
                && clientId.equals(that.clientId)
                && persistent == that.persistent
                && identity == that.identity
                && Objects.equals(node, that.node);
    }

    @Override
    public int hashCode() {
        return clientId.hashCode() * 31 + Long.hashCode(identity);
    }

    @Override
    public String toString() {
        return "Subscriber[" + GroupIdentifier.display(clientId) + ", " + (persistent ? "persistent " : "transient ")
                + identity + (node == null ? "]" : " on " + node + "]");
    }
}
