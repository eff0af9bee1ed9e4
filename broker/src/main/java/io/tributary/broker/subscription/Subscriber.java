package io.tributary.broker.subscription;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A session that has subscriptions.
 *
 * @param clientId its client identifier
 * @param persistent whether the session outlives its connection: its messages then go through a log
 * @param identity the session's identity when it is persistent, the connection's number on its node otherwise
 * @param node the other node that a transient session is on; null when it is on this one, or persistent
 * @param kind where the messages of a persistent session wait, and would of a transient one; not looked at when
 *     subscribers are compared
 * @param principal whose session it is, as its connection says; null elsewhere, where
 *     {@link Subscriptions#principal} knows it. Not looked at when subscribers are compared
 */
public record Subscriber(
        String clientId,
        boolean persistent,
        long identity,
        @Nullable String node,
        ClientKind kind,
        @Nullable Principal principal) {

    /** A device's persistent session, or a transient one of this node. */
    public Subscriber(String clientId, boolean persistent, long identity) {
        this(clientId, persistent, identity, null);
    }

    /** A device's session. */
    public Subscriber(String clientId, boolean persistent, long identity, @Nullable String node) {
        this(clientId, persistent, identity, node, ClientKind.DEVICE, null);
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

    /** A subscriber of the embedding application; the number is below zero, which no connection's is. */
    public static Subscriber inProcess(long number) {
        return new Subscriber("", false, number);
    }

    /** Whether this is the embedding application and no client. */
    public boolean isInProcess() {
        return !persistent && identity < 0;
    }
}
