package io.tributary.broker.relocation;

import java.time.Duration;

/**
 * How a node is to be drained.
 *
 * @param serveFor how long clients are served as ever though the node is not ready any more, so that load balancers
 *     notice; at most {@link #LONGEST}
 * @param rate how many clients are sent away a second then, 0 for all at once
 * @param by who wants it
 * @param from where that one is
 */
public record DrainOrder(Duration serveFor, int rate, String by, String from) {
    /** The longest time for load balancers. */
    public static final Duration LONGEST = Duration.ofHours(1);

    /** The most clients a second. */
    public static final int MOST_A_SECOND = 1_000_000;

    /** Checks the ranges. */
    public DrainOrder {
        if (serveFor.isNegative() || serveFor.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("serveForSeconds must be 0 to " + LONGEST.toSeconds());
        }
        if (rate < 0 || rate > MOST_A_SECOND) {
            throw new IllegalArgumentException("rate must be 0 to " + MOST_A_SECOND);
        }
    }
}
