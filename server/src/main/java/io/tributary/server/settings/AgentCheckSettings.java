package io.tributary.server.settings;

import io.tributary.server.settings.check.Allowed;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A port at which HAProxy asks for this broker's weight ({@code agent-check}); see docs/cluster.md.
 *
 * @param host The local address; {@code 0.0.0.0} for all of the machine's. Whoever reaches it may ask, and learns how
 *     busy the broker is, no more.
 * @param port The port; 0 picks a free one. Without a value there is none.
 */
public record AgentCheckSettings(
        @DefaultValue("127.0.0.1") String host,
        @Allowed(min = "0", max = "65535") @Nullable Integer port) {

    /** The name of the port's setting. */
    public static final String PORT = TributarySettings.PREFIX + ".agent-check.port";
}
