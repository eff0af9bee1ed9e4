package io.tributary.broker.subscription;

import org.jspecify.annotations.Nullable;

/**
 * A session that has subscriptions.
 *
 * @param clientId its client identifier
 * @param persistent whether the session outlives its connection: its messages then go through the shard's log
 * @param identity the session's identity when it is persistent, the connection's number on its node otherwise
 * @param node the other node that a transient session is on; null when it is on this one, or persistent
 */
public record Subscriber(
        String clientId,
        boolean persistent,
        long identity,
        @Nullable String node) {

    /** A persistent session, or a transient one of this node. */
    public Subscriber(String clientId, boolean persistent, long identity) {
        this(clientId, persistent, identity, null);
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
