package io.tributary.cluster.node;

import java.time.Duration;

/**
 * How nodes wait for each other's followers; the times are the same on all nodes.
 *
 * @param leaveOut how long a write waits for a node that is behind, until it is left out; 100 ms to a minute
 * @param behind after what time a node that is behind others begins to notice; it has noticed after a bit more than
 *     twice that, and must before it is left out, so at most 0.4 of {@code leaveOut}; at least 10 ms
 * @param coalesce how long progress waits for more of the same map after a message was sent; 0 to 100 ms
 * @param repeat how often all progress is told again; 100 ms to a minute
 * @param maxWaits how many waits a map may have; a further one fails at once
 */
public record VisibilityConfig(Duration leaveOut, Duration behind, Duration coalesce, Duration repeat, int maxWaits) {

    /** A node that is a second behind is left out. */
    public static final VisibilityConfig DEFAULT = new VisibilityConfig(
            Duration.ofSeconds(1), Duration.ofMillis(400), Duration.ofMillis(5), Duration.ofSeconds(1), 10_000);

    public VisibilityConfig {
        NodeTableConfig.check("leaveOut", leaveOut, Duration.ofMillis(100), Duration.ofMinutes(1));
        NodeTableConfig.check(
                "behind",
                behind,
                Duration.ofMillis(10),
                leaveOut.multipliedBy(2).dividedBy(5));
        NodeTableConfig.check("coalesce", coalesce, Duration.ZERO, Duration.ofMillis(100));
        NodeTableConfig.check("repeat", repeat, Duration.ofMillis(100), Duration.ofMinutes(1));
        if (maxWaits < 1) {
            throw new IllegalArgumentException("maxWaits " + maxWaits + ": must be positive");
        }
    }
}
