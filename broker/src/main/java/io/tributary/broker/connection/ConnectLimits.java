package io.tributary.broker.connection;

import static io.tributary.common.setting.InvalidSettingException.checkPositive;
import static io.tributary.common.setting.InvalidSettingException.checkWithin;

import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.setting.InvalidSettingException;
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

    /** In characters, of three bytes at most: with all that is added to it, it is the name of a key of 65,535 bytes. */
    private static final int LONGEST_CLIENT_ID = 16_384;

    /** Limits that suit most brokers. */
    public static final ConnectLimits DEFAULT = new ConnectLimits(
            Duration.ofSeconds(10), Duration.ofSeconds(30), 1_024, 0, ConnectProperties.NEVER_EXPIRES, null);

    /** Checks the ranges. */
    public ConnectLimits {
        checkPositive("timeout", connectTimeout);
        checkPositive("attach-timeout", attachTimeout);
        checkWithin("max-client-id-length", maxClientIdLength, 23, LONGEST_CLIENT_ID);
        checkWithin("max-keep-alive", maxKeepAliveSeconds, 0, 65_535);
        checkWithin("max-session-expiry", maxSessionExpirySeconds, 0, ConnectProperties.NEVER_EXPIRES);
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder(DEFAULT);
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private Duration timeout;
        private Duration attachTimeout;
        private int maxClientIdLength;
        private Duration maxKeepAlive;
        private @Nullable Duration maxSessionExpiry;
        private @Nullable String responseInformation;

        private Builder(ConnectLimits from) {
            timeout = from.connectTimeout;
            attachTimeout = from.attachTimeout;
            maxClientIdLength = from.maxClientIdLength;
            maxKeepAlive = Duration.ofSeconds(from.maxKeepAliveSeconds);
            maxSessionExpiry = from.maxSessionExpirySeconds == ConnectProperties.NEVER_EXPIRES
                    ? null
                    : Duration.ofSeconds(from.maxSessionExpirySeconds);
            responseInformation = from.responseInformation;
        }

        /** How long a client has to get through CONNECT and authentication. */
        public Builder timeout(Duration value) {
            timeout = value;
            return this;
        }

        /** How long a persistent session's shard has to answer. */
        public Builder attachTimeout(Duration value) {
            attachTimeout = value;
            return this;
        }

        /** The longest client identifier, in characters, 23 to 65,535. */
        public Builder maxClientIdLength(int value) {
            maxClientIdLength = value;
            return this;
        }

        /** The longest keep alive, imposed on MQTT 5 clients; zero for no limit. */
        public Builder maxKeepAlive(Duration value) {
            maxKeepAlive = value;
            return this;
        }

        /** How long a session is kept without a connection, at most; null for as long as the client asks. */
        public Builder maxSessionExpiry(@Nullable Duration value) {
            maxSessionExpiry = value;
            return this;
        }

        /** What MQTT 5 clients are told that ask for response information; null for nothing. */
        public Builder responseInformation(@Nullable String value) {
            responseInformation = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public ConnectLimits build() {
            return new ConnectLimits(
                    timeout,
                    attachTimeout,
                    maxClientIdLength,
                    Math.clamp(maxKeepAlive.toSeconds(), -1, Integer.MAX_VALUE),
                    maxSessionExpiry == null ? ConnectProperties.NEVER_EXPIRES : maxSessionExpiry.toSeconds(),
                    responseInformation);
        }
    }
}
