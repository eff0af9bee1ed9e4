package io.tributary.perf.judge;

import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What was counted since the beginning, and the distributions since the last snapshot that began anew. Parts of the
 * same run, from other threads or processes, add up to one.
 *
 * @param histograms those that have values; to be read only
 * @param firstReceivedNanos when the first message since the last snapshot came, by the run's clock; 0 for none
 * @param lastReceivedNanos when the last one came
 */
public record Snapshot(
        Counts counts, Map<Metric, Histogram> histograms, long firstReceivedNanos, long lastReceivedNanos) {
    /** Nothing at all. */
    public static final Snapshot NONE = new Snapshot(Counts.NONE, Map.of(), 0, 0);

    /** An empty histogram as all of the tool are: 1 microsecond to 1 hour, exact to three digits. */
    public static Histogram histogram() {
        return new Histogram(1_000, 3_600_000_000_000L, 3);
    }

    /** The sum of two. */
    public Snapshot plus(Snapshot other) {
        Map<Metric, Histogram> sum = new EnumMap<>(Metric.class);
        histograms.forEach((metric, histogram) -> sum.put(metric, histogram.copy()));
        other.histograms.forEach((metric, histogram) -> {
            Histogram known = sum.get(metric);
            if (known == null) {
                sum.put(metric, histogram.copy());
            } else {
                known.add(histogram);
            }
        });
        return new Snapshot(
                counts.plus(other.counts),
                sum,
                earlier(firstReceivedNanos, other.firstReceivedNanos),
                Math.max(lastReceivedNanos, other.lastReceivedNanos));
    }

    private static long earlier(long one, long other) {
        return one == 0 || other == 0 ? Math.max(one, other) : Math.min(one, other);
    }
}
