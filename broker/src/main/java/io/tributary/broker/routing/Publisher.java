package io.tributary.broker.routing;

import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Permissions;

/**
 * The session that publishes.
 *
 * @param client who it is
 * @param permissions what it may publish; asked on the thread that publishes
 * @param persistent whether the session outlives its connection, or has outlived one before: its QoS 2 messages then go
 *     through its own shard
 * @param epoch the epoch of its connection
 */
public record Publisher(ClientInfo client, Permissions permissions, boolean persistent, long epoch) {}
