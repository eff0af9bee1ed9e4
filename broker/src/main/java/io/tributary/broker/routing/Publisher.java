package io.tributary.broker.routing;

import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Permissions;

/**
 * The session that publishes.
 *
 * @param clientId {@link ClientInfo#idInside} of the client
 * @param client who it is
 * @param permissions what it may publish; asked on the thread that publishes
 * @param persistent whether the session outlives its connection, or has outlived one before: its QoS 2 messages then go
 *     through its own shard
 * @param epoch the epoch of its connection
 */
public record Publisher(String clientId, ClientInfo client, Permissions permissions, boolean persistent, long epoch) {}
