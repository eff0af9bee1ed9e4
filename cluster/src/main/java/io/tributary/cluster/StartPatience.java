package io.tributary.cluster;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * How long a start waits for what it stands on: Kafka and Redis have one time together, which whoever watches the start
 * can know.
 *
 * @param endNanos when that time is over, as {@link System#nanoTime} tells
 * @param least what Redis has of it in any case, for Kafka may come up at the last moment
 * @param givenUp completes when the start is not to be waited for any more
 */
record StartPatience(long endNanos, Duration least, CompletableFuture<?> givenUp) {
    private static final int LEAST_SHARE = 10;

    static StartPatience begin(Duration ofBoth, CompletableFuture<?> givenUp) {
        return new StartPatience(System.nanoTime() + ofBoth.toNanos(), ofBoth.dividedBy(LEAST_SHARE), givenUp);
    }

    /** How long Redis is waited for from now on. */
    Duration left() {
        Duration left = Duration.ofNanos(endNanos - System.nanoTime());
        return left.compareTo(least) > 0 ? left : least;
    }
}
