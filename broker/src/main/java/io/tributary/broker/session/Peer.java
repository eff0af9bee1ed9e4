package io.tributary.broker.session;

import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;

/**
 * The other side of a new connection.
 *
 * @param remoteAddress its host and port, for people to read
 * @param listener the name of the listener that it came through
 * @param refusal why its CONNECT is to be refused, whoever it is; null when the listener has room for it
 */
public record Peer(
        String remoteAddress, String listener, @Nullable ReasonCode refusal) {}
