package io.tributary.server.settings;

import io.tributary.cluster.node.VisibilityConfig;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import io.tributary.server.settings.check.Units;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How nodes wait for each other, so that a subscription counts on every node when it is acknowledged. The same on all
 * nodes.
 *
 * @param leaveOut How long is waited for a node that is behind, until the others go on without it; it then takes no
 *     messages from publishers until it has caught up.
 * @param behind After what time a node that is behind begins to notice: at most 0.4 of {@code leave-out}.
 */
public record VisibilitySettings(
        @DefaultValue("1s") @Allowed(min = "100ms", max = "1m")
        Duration leaveOut,

        @DefaultValue("400ms") @Allowed(min = "10ms", max = "24s")
        Duration behind) {

    VisibilityConfig config(String name) {
        if (behind.compareTo(leaveOut.multipliedBy(2).dividedBy(5)) > 0) {
            throw new SettingException(
                    name + ".behind",
                    "'" + Units.text(behind) + "' is more than 0.4 of leave-out, which is " + Units.text(leaveOut));
        }
        VisibilityConfig defaults = VisibilityConfig.DEFAULT;
        return SettingException.naming(
                name,
                () -> new VisibilityConfig(
                        leaveOut, behind, defaults.coalesce(), defaults.repeat(), defaults.maxWaits()));
    }
}
