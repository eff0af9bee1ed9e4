package io.tributary.perf.judge;

import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** What the clients of one event loop count. Confined to it. */
@SuppressWarnings("EnumOrdinal") // nothing keeps the numbers, and counting is on the hot path
public final class Tally {
    private static final long LONGEST_NANOS = 3_600_000_000_000L;

    private final long[] counts = new long[Count.values().length];
    private final @Nullable Histogram[] histograms = new @Nullable Histogram[Metric.values().length];

    private long firstReceivedNanos;
    private long lastReceivedNanos;

    /** A message of this run came at this time of the run's clock. */
    public void received(long nowNanos, int bytes) {
        count(Count.RECEIVED);
        count(Count.RECEIVED_BYTES, bytes);
        if (firstReceivedNanos == 0) {
            firstReceivedNanos = nowNanos;
        }
        lastReceivedNanos = nowNanos;
    }

    /** One more. */
    public void count(Count what) {
        counts[what.ordinal()]++;
    }

    /** So many more. */
    public void count(Count what, long howMany) {
        counts[what.ordinal()] += howMany;
    }

    /** One more value of a distribution; negative ones, where clocks disagree, count as 0. */
    public void record(Metric metric, long nanos) {
        Histogram histogram = histograms[metric.ordinal()];
        if (histogram == null) {
            histogram = Snapshot.histogram();
            histograms[metric.ordinal()] = histogram;
        }
        histogram.recordValue(Math.clamp(nanos, 0, LONGEST_NANOS));
    }

    /** The counts alone. */
    public Counts counts() {
        return Counts.of(counts);
    }

    /** All of it; the distributions begin anew. */
    public Snapshot snapshot() {
        Map<Metric, Histogram> taken = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            Histogram histogram = histograms[metric.ordinal()];
            if (histogram != null && histogram.getTotalCount() > 0) {
                taken.put(metric, histogram);
                histograms[metric.ordinal()] = null;
            }
        }
        Snapshot snapshot = new Snapshot(counts(), taken, firstReceivedNanos, lastReceivedNanos);
        firstReceivedNanos = 0;
        lastReceivedNanos = 0;
        return snapshot;
    }
}
