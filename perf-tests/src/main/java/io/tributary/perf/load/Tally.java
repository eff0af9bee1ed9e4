package io.tributary.perf.load;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** What all clients of a run counted. Thread-safe. */
final class Tally {
    /** Latencies fall into buckets that grow by a 16th of a power of two: an error of 6 % at most. */
    private static final int BUCKETS_AN_OCTAVE = 16;

    private static final int OCTAVES = 40;

    private final LongAdder published = new LongAdder();
    private final LongAdder acknowledged = new LongAdder();
    private final LongAdder received = new LongAdder();
    private final LongAdder duplicates = new LongAdder();
    private final LongAdder outOfOrder = new LongAdder();
    private final AtomicLongArray latencies = new AtomicLongArray(BUCKETS_AN_OCTAVE * OCTAVES);

    void onPublished() {
        published.increment();
    }

    void onAcknowledged() {
        acknowledged.increment();
    }

    /** A message came; the number follows on the one before if all is well. */
    void onReceived(long before, long number, long latencyNanos) {
        received.increment();
        if (number <= before) {
            duplicates.increment();
        } else if (number != before + 1) {
            outOfOrder.increment();
        }
        latencies.incrementAndGet(bucket(Math.max(1, latencyNanos)));
    }

    long published() {
        return published.sum();
    }

    long acknowledged() {
        return acknowledged.sum();
    }

    long received() {
        return received.sum();
    }

    long duplicates() {
        return duplicates.sum();
    }

    long outOfOrder() {
        return outOfOrder.sum();
    }

    void resetLatency() {
        for (int i = 0; i < latencies.length(); i++) {
            latencies.set(i, 0);
        }
    }

    /** The latency that the given share of messages did not exceed, in microseconds. */
    long latencyMicros(double share) {
        long total = 0;
        for (int i = 0; i < latencies.length(); i++) {
            total += latencies.get(i);
        }
        long seen = 0;
        for (int i = 0; i < latencies.length(); i++) {
            seen += latencies.get(i);
            if (seen >= share * total) {
                return upperNanos(i) / 1000;
            }
        }
        return 0;
    }

    private static int bucket(long nanos) {
        int octave = 63 - Long.numberOfLeadingZeros(nanos);
        int part = octave < 4 ? 0 : (int) (nanos >>> (octave - 4)) & (BUCKETS_AN_OCTAVE - 1);
        return Math.min(octave, OCTAVES - 1) * BUCKETS_AN_OCTAVE + part;
    }

    private static long upperNanos(int bucket) {
        long octave = 1L << (bucket / BUCKETS_AN_OCTAVE);
        return octave + octave * (bucket % BUCKETS_AN_OCTAVE + 1) / BUCKETS_AN_OCTAVE;
    }
}
