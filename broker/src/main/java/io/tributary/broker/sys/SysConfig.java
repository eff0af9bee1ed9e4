package io.tributary.broker.sys;

import java.time.Duration;

/**
 * How often the {@code $SYS} topics are published, and their fixed values.
 *
 * @param interval the time between two rounds; zero switches the topics off
 * @param version what {@code $SYS/broker/version} says
 */
public record SysConfig(Duration interval, String version) {
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /** Checks the interval. */
    public SysConfig {
        if (!interval.isZero() && interval.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException(
                    "interval " + interval + ": must be at least " + SHORTEST + ", or 0 to switch the $SYS topics off");
        }
    }

    /** The given interval, and the version of this build. */
    public static SysConfig every(Duration interval) {
        String version = SysConfig.class.getPackage().getImplementationVersion();
        return new SysConfig(interval, "tributary " + (version == null ? "development" : version));
    }
}
