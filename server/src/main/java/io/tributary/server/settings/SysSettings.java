package io.tributary.server.settings;

import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import io.tributary.server.settings.check.Units;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The {@code $SYS} topics, on which the broker publishes figures about itself.
 *
 * @param interval How often they are published; 0 for never, otherwise at least 1s.
 */
public record SysSettings(
        @DefaultValue("10s") @Allowed(min = "0s") Duration interval) {

    Duration checkedInterval(String name) {
        if (!interval.isZero() && interval.toSeconds() < 1) {
            throw new SettingException(
                    name + ".interval",
                    "'" + Units.text(interval) + "' is neither at least 1s nor 0, for no $SYS topics");
        }
        return interval;
    }
}
