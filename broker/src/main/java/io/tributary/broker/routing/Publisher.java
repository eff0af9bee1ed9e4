package io.tributary.broker.routing;

import io.tributary.broker.security.ClientInfo;

/**
 * The session that publishes.
 *
 * @param client who it is
 * @param persistent whether the session outlives its connection, or has outlived one before: its QoS 2 messages then go
 *     through its own shard
 * @param epoch the epoch of its connection
 */
public record Publisher(ClientInfo client, boolean persistent, long epoch) {}
