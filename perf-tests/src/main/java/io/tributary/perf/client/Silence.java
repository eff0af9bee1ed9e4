package io.tributary.perf.client;

import io.tributary.perf.judge.Metric;
import io.tributary.perf.judge.Tally;

/**
 * For how long a subscriber gets nothing while others publish. What lasts over the end of an interval counts in both.
 * Confined to the client's event loop.
 */
final class Silence {
    private boolean counts;
    private long sinceNanos;
    private long longestNanos;

    /** Others begin to publish, and the subscriber is connected. */
    void begin(long nowNanos) {
        counts = true;
        sinceNanos = nowNanos;
        longestNanos = 0;
    }

    /** A message came. */
    void received(long nowNanos) {
        longestNanos = Math.max(longestNanos, nowNanos - sinceNanos);
        sinceNanos = nowNanos;
    }

    /** Nobody publishes any more, or the connection is gone: nothing is said until the next beginning. */
    void end() {
        counts = false;
    }

    /** An interval is over. */
    void take(Tally tally, long nowNanos) {
        if (counts) {
            tally.record(Metric.SILENCE, Math.max(longestNanos, nowNanos - sinceNanos));
            longestNanos = 0;
        }
    }
}
