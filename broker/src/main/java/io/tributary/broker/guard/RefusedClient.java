package io.tributary.broker.guard;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A client that was refused. What it says of itself is cut, and without control characters; a password or token is
 * never in it.
 *
 * @param number one more than that of the one before, at this node since it started
 * @param time when
 * @param listener the name of the listener
 * @param address its host and port
 * @param clientId the client identifier in its CONNECT; null when none had come
 * @param userName the user name in its CONNECT; null without one
 * @param reason why, in a word that stays: a reason code of MQTT ({@code not_authorized}), or what
 *     {@code tributary.connections.refused} counts it under ({@code proxy_malformed}), or {@code tls_} with what
 *     {@code tributary.tls.handshakes.failed} does
 * @param words why, for people
 */
public record RefusedClient(
        long number,
        Instant time,
        String listener,
        String address,
        @Nullable String clientId,
        @Nullable String userName,
        String reason,
        String words) {}
