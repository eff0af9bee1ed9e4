package io.tributary.broker.security;

import io.tributary.common.mqtt.ProtocolVersion;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a connected client.
 *
 * @param clientId the client identifier, also when the broker assigned it
 * @param userName the user name in CONNECT, or null
 * @param version the version of MQTT that it speaks
 * @param remoteAddress host and port of the other side, for people to read
 * @param listener the name of the listener that it came through
 */
public record ClientInfo(
        String clientId, @Nullable String userName, ProtocolVersion version, String remoteAddress, String listener) {}
