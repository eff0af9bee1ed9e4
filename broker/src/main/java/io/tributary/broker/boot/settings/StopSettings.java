package io.tributary.broker.boot.settings;

import io.tributary.broker.DrainConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How clients are sent away when the broker stops.
 *
 * @param drainRate How many connections a second are sent away, so that they do not all come to other nodes at once; 0 for
 *     all at once. So many seconds as that takes must be well below {@code tributary.stop-timeout}, which ends the broker.
 * @param serverReference Where MQTT 5 clients are told to go instead (Server Reference), for instance {@code other.example:1883}; without
 *     a value, they are told nothing.
 */
public record StopSettings(
        @DefaultValue("1000") @Allowed(min = "0", max = "1000000")
        int drainRate,

        @Nullable String serverReference) {

    DrainConfig config(String name) {
        return SettingException.naming(
                name,
                () -> new DrainConfig(
                        drainRate, serverReference == null || serverReference.isEmpty() ? null : serverReference));
    }
}
