package io.tributary.broker.subscription;

/**
 * A session that has subscriptions.
 *
 * @param clientId its client identifier
 * @param persistent whether the session outlives its connection: its messages then go through the shard's log
 * @param identity the session's identity when it is persistent, the connection's number on this node otherwise
 */
public record Subscriber(String clientId, boolean persistent, long identity) {}
