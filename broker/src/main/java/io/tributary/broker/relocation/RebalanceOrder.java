package io.tributary.broker.relocation;

import io.tributary.broker.sys.Announced;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How connections are to be rebalanced. Nodes tell each other, and the newest counts.
 *
 * @param number when it was given, in milliseconds of the cluster's time; a later order has a larger number
 * @param rate how many clients each node sends away a second, 1 to 1,000,000; 0 where rebalancing was ended, of which
 *     the other numbers say nothing
 * @param tolerance how many percent more clients than the mean a node may have, 0 to 1,000
 * @param seconds how long it lasts at most, 1 to those of a day
 */
public record RebalanceOrder(long number, int rate, int tolerance, int seconds) {
    /** No order. */
    static final RebalanceOrder NONE = new RebalanceOrder(0, 0, 0, 0);

    private static final int MOST_TOLERANCE = 1_000;
    private static final long LONGEST_SECONDS = Duration.ofDays(1).toSeconds();

    /** Checks the ranges. */
    public RebalanceOrder {
        if (rate != 0) {
            check(rate, tolerance, seconds);
        }
    }

    /**
     * Checks the ranges of an order that does not end another.
     *
     * @throws IllegalArgumentException when a number is out of its range, which it names
     */
    static void check(int rate, int tolerance, long seconds) {
        if (rate < 1 || rate > DrainOrder.MOST_A_SECOND) {
            throw new IllegalArgumentException("rate must be 1 to " + DrainOrder.MOST_A_SECOND);
        }
        if (tolerance < 0 || tolerance > MOST_TOLERANCE) {
            throw new IllegalArgumentException("tolerance must be 0 to " + MOST_TOLERANCE);
        }
        if (seconds < 1 || seconds > LONGEST_SECONDS) {
            throw new IllegalArgumentException("seconds must be 1 to " + LONGEST_SECONDS);
        }
    }

    /** What another node has announced; nothing where its numbers cannot be. */
    static RebalanceOrder of(Announced said) {
        try {
            return new RebalanceOrder(said.order(), said.rate(), said.tolerance(), said.seconds());
        } catch (IllegalArgumentException _) {
            return NONE;
        }
    }

    /** What other nodes are told. */
    Announced announced(boolean draining) {
        return new Announced(draining, number, rate, tolerance, seconds);
    }

    /** Whether it holds at a time of the cluster. */
    boolean holdsAt(long millis) {
        return rate > 0 && millis - number < TimeUnit.SECONDS.toMillis(seconds);
    }
}
