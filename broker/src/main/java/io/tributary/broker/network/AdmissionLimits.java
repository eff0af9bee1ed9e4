package io.tributary.broker.network;

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
        if (maxConnections < 1 || connectsPerSecond < 0 || (connectsPerSecond > 0 && connectBurst < 1)) {
            throw new IllegalArgumentException("maxConnections, connectsPerSecond, connectBurst: " + maxConnections
                    + ", " + connectsPerSecond + ", " + connectBurst);
        }
    }
}
