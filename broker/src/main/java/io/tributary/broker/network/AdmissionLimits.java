package io.tributary.broker.network;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;

/**
 * How many clients a listener takes, and how fast.
 *
 * @param maxConnections the most connections at once
 * @param connectsPerSecond how many connections are taken a second in the long run; 0 for no limit
 * @param connectBurst how many may come at once
 */
public record AdmissionLimits(int maxConnections, int connectsPerSecond, int connectBurst) {

    /** A hundred thousand connections, as fast as they come. */
    public static final AdmissionLimits DEFAULT = new AdmissionLimits(100_000, 0, 0);

    /** Checks the ranges. */
    public AdmissionLimits {
        checkAtLeast("max-connections", maxConnections, 1);
        checkAtLeast("connect-rate", connectsPerSecond, 0);
        if (connectsPerSecond > 0) {
            checkAtLeast("connect-burst", connectBurst, 1);
        }
    }
}
