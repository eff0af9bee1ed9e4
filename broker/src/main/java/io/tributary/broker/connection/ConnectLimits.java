package io.tributary.broker.connection;

import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits of CONNECT and of the connection as a whole.
 *
 * @param connectTimeout how long a client has to get through CONNECT and authentication
 * @param attachTimeout how long the session's shard has to answer
 * @param maxClientIdLength the longest client identifier, in characters
 * @param maxKeepAliveSeconds the longest keep alive, imposed on MQTT 5 clients that ask for a longer one or for none; 0
 *     for no limit
 * @param maxSessionExpirySeconds the longest session expiry interval, to which longer ones are cut;
 *     {@link ConnectProperties#NEVER_EXPIRES} for no limit
 * @param responseInformation sent to clients that ask for response information, or null for nothing
 */
public record ConnectLimits(
        Duration connectTimeout,
        Duration attachTimeout,
        int maxClientIdLength,
        int maxKeepAliveSeconds,
        long maxSessionExpirySeconds,
        @Nullable String responseInformation) {

    /** Limits that suit most brokers. */
    public static final ConnectLimits DEFAULT = new ConnectLimits(
            Duration.ofSeconds(10), Duration.ofSeconds(30), 1_024, 0, ConnectProperties.NEVER_EXPIRES, null);

    /** Checks the ranges. */
    public ConnectLimits {
        if (!connectTimeout.isPositive() || !attachTimeout.isPositive()) {
            throw new IllegalArgumentException("connectTimeout and attachTimeout must be positive");
        }
        if (maxClientIdLength < 23 || maxClientIdLength > 65_535) {
            throw new IllegalArgumentException("maxClientIdLength " + maxClientIdLength + ": must be 23 to 65535");
        }
        if (maxKeepAliveSeconds < 0 || maxKeepAliveSeconds > 65_535) {
            throw new IllegalArgumentException("maxKeepAliveSeconds " + maxKeepAliveSeconds + ": must be 0 to 65535");
        }
        if (maxSessionExpirySeconds < 0 || maxSessionExpirySeconds > ConnectProperties.NEVER_EXPIRES) {
            throw new IllegalArgumentException("maxSessionExpirySeconds " + maxSessionExpirySeconds);
        }
    }
}
