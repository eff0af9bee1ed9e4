package io.tributary.broker.subscription;

/**
 * A session that has subscriptions.
 *
 * @param clientId its client identifier
 * @param persistent whether the session outlives its connection: its messages then go through the shard's log
 * @param identity the session's identity when it is persistent, the connection's number on this node otherwise
 */
public record Subscriber(String clientId, boolean persistent, long identity) {

    /** A subscriber of the embedding application; the number is below zero, which no connection's is. */
    public static Subscriber inProcess(long number) {
        return new Subscriber("", false, number);
    }

    /** Whether this is the embedding application and no client. */
    public boolean isInProcess() {
        return !persistent && identity < 0;
    }
}
