package io.tributary.server.settings;

import io.tributary.broker.StopConfig;
import io.tributary.server.settings.check.Allowed;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How clients are sent away when the broker stops.
 *
 * @param drainRate How many connections a second are sent away, so that they do not all come to other nodes at once; 0
 *     for all at once. More are sent away where that would take longer than half of {@code tributary.stop-timeout}. A
 *     broker that runs alone always sends all away at once.
 * @param serverReference Where MQTT 5 clients are told to go instead (Server Reference), for instance
 *     {@code other.example:1883}; without a value, they are told nothing.
 */
public record StopSettings(
        @DefaultValue("1000") @Allowed(min = "0", max = "1000000")
        int drainRate,

        @Nullable String serverReference) {

    void change(Duration stopTimeout, StopConfig.Builder to) {
        to.drainRate(drainRate)
                .longest(stopTimeout.dividedBy(2))
                .serverReference(serverReference == null || serverReference.isEmpty() ? null : serverReference);
    }
}
