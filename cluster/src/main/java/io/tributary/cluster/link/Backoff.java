package io.tributary.cluster.link;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before the next attempt: from 100 ms, twice as long each time, up to 2 s; a random half of it less.
 */
final class Backoff {
    private static final long FIRST_MILLIS = 100;
    private static final long LAST_MILLIS = 2_000;

    private long nextMillis = FIRST_MILLIS;

    /** Milliseconds to wait now. */
    long next() {
        long millis = nextMillis;
        nextMillis = Math.min(LAST_MILLIS, 2 * millis);
        return millis - ThreadLocalRandom.current().nextLong(millis / 2);
    }

    /** An attempt came to something: the next wait is a short one. */
    void reset() {
        nextMillis = FIRST_MILLIS;
    }
}
