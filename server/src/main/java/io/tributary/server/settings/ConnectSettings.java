package io.tributary.server.settings;

import io.tributary.broker.connection.ConnectLimits;
import io.tributary.server.settings.check.Allowed;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of CONNECT and of the connection as a whole.
 *
 * @param timeout How long a client has to get through CONNECT and authentication.
 * @param attachTimeout How long a persistent session's shard has to answer.
 * @param maxClientIdLength The longest client identifier, in characters.
 * @param maxKeepAlive The longest keep alive, imposed on MQTT 5 clients that ask for more or for none (Server Keep
 *     Alive); 0 for no limit. Those of MQTT 3 cannot be told, and have what they ask for.
 * @param maxSessionExpiry How long a session is kept without a connection, at most; without a value, for as long as the
 *     client asks.
 * @param responseInformation What MQTT 5 clients are told that ask for response information; without a value, nothing.
 */
public record ConnectSettings(
        @DefaultValue("10s") @Allowed(min = "100ms") Duration timeout,
        @DefaultValue("30s") @Allowed(min = "100ms") Duration attachTimeout,

        @DefaultValue("1024") @Allowed(min = "23", max = "16384")
        int maxClientIdLength,

        @DefaultValue("0s") @Allowed(min = "0s", max = "65535s")
        Duration maxKeepAlive,

        @Allowed(min = "0s", max = "4294967294s") @Nullable Duration maxSessionExpiry,
        @Nullable String responseInformation) {

    void change(ConnectLimits.Builder to) {
        to.timeout(timeout)
                .attachTimeout(attachTimeout)
                .maxClientIdLength(maxClientIdLength)
                .maxKeepAlive(maxKeepAlive)
                .maxSessionExpiry(maxSessionExpiry)
                .responseInformation(responseInformation);
    }
}
