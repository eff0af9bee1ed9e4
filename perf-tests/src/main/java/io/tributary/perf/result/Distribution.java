package io.tributary.perf.result;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * A distribution of times, in milliseconds.
 *
 * @param values how many values it has
 * @param deviation the standard deviation
 * @param curve the percentiles for charts, denser towards the end
 */
public record Distribution(
        long values,
        double mean,
        double deviation,
        double min,
        double p50,
        double p90,
        double p95,
        double p99,
        double p999,
        double p9999,
        double max,
        List<Point> curve) {

    /** Of no values. */
    public static final Distribution NONE = new Distribution(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of());

    private static final double NANOS_PER_MILLI = 1e6;

    /** Half of what is left, again and again, in three parts each: enough for a smooth curve. */
    private static final int STEPS_A_HALF = 3;

    /** Copies the list. */
    public Distribution {
        curve = List.copyOf(curve);
    }

    /** What a histogram of nanoseconds says. */
    public static Distribution of(Histogram nanos) {
        return new Distribution(
                nanos.getTotalCount(),
                nanos.getMean() / NANOS_PER_MILLI,
                nanos.getStdDeviation() / NANOS_PER_MILLI,
                nanos.getMinValue() / NANOS_PER_MILLI,
                at(nanos, 50),
                at(nanos, 90),
                at(nanos, 95),
                at(nanos, 99),
                at(nanos, 99.9),
                at(nanos, 99.99),
                nanos.getMaxValue() / NANOS_PER_MILLI,
                curve(nanos));
    }

    /** The same without the percentiles for charts. */
    Distribution withoutCurve() {
        return new Distribution(values, mean, deviation, min, p50, p90, p95, p99, p999, p9999, max, List.of());
    }

    private static List<Point> curve(Histogram nanos) {
        List<Point> points = new ArrayList<>();
        nanos.percentiles(STEPS_A_HALF)
                .forEach(value -> points.add(
                        new Point(value.getPercentileLevelIteratedTo(), value.getValueIteratedTo() / NANOS_PER_MILLI)));
        return points;
    }

    private static double at(Histogram nanos, double percentile) {
        return nanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    /**
     * A point of a distribution.
     *
     * @param percentile 0 to 100
     * @param millis what so many of a hundred did not exceed
     */
    public record Point(double percentile, double millis) {}
}
