package io.tributary.perf.run;

import io.tributary.perf.result.Growth;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What grows over a run: for each process the straight line through the lowest values of its {@linkplain Quantity
 * quantities}. The lowest, for a heap goes up and down between its collections, and only what is left after them says
 * anything.
 */
final class Slopes {
    private static final double SECONDS_A_MINUTE = 60;
    private static final double SECONDS_AN_HOUR = 3_600;
    /** Below this a slope says nothing. */
    private static final double SHORTEST_SECONDS = 300;
    /** The lowest value of each of so many parts of the time counts. */
    private static final int PARTS = 20;

    private Slopes() {}

    /** What became of each quantity of each process but the tool's own; nothing for a short run. */
    static List<Growth> of(List<Sample> samples) {
        List<Growth> growth = new ArrayList<>();
        if (samples.isEmpty() || samples.getLast().second() < SHORTEST_SECONDS) {
            return growth;
        }
        // Without the first quarter, in which a JVM is still growing.
        List<Sample> later = samples.subList(samples.size() / 4, samples.size());
        for (Quantity quantity : Quantity.values()) {
            for (String owner : quantity.values(samples.getLast()).keySet().stream()
                    .sorted()
                    .toList()) {
                if (!RunResult.isTool(owner)) {
                    growth.add(growth(quantity, owner, later));
                }
            }
        }
        return growth;
    }

    /** In words, what grows by more than its limit. */
    static List<String> remarks(List<Growth> growth) {
        return growth.stream()
                .filter(Growth::isBeyondLimit)
                .map(one -> String.format(
                        Locale.ROOT,
                        "%s grew by %.1f%s in %.0f minutes, which would be %.1f an hour; more than %.0f counts as growth. In a"
                                + " longer run a leak goes on, and a warm-up does not.",
                        one.what(),
                        one.rise(),
                        one.unit().isEmpty() ? "" : " " + one.unit(),
                        one.minutes(),
                        one.perHour(),
                        one.limit()))
                .toList();
    }

    private static Growth growth(Quantity quantity, String owner, List<Sample> samples) {
        double perSecond = slope(floor(quantity, owner, samples));
        double seconds = samples.getLast().second() - samples.getFirst().second();
        return new Growth(
                quantity.of(owner),
                quantity.unit(),
                seconds / SECONDS_A_MINUTE,
                perSecond * seconds,
                perSecond * SECONDS_AN_HOUR,
                quantity.limitPerHour(),
                quantity.leastRise());
    }

    /** The lowest point of each part of the time in which there is one. */
    private static List<Point> floor(Quantity quantity, String owner, List<Sample> samples) {
        List<Point> floor = new ArrayList<>();
        for (int part = 0; part < PARTS; part++) {
            List<Sample> some = samples.subList(part * samples.size() / PARTS, (part + 1) * samples.size() / PARTS);
            Point lowest = null;
            for (Sample sample : some) {
                Number value = quantity.values(sample).get(owner);
                if (value != null && (lowest == null || value.doubleValue() < lowest.value)) {
                    lowest = new Point(sample.second(), value.doubleValue());
                }
            }
            if (lowest != null) {
                floor.add(lowest);
            }
        }
        return floor;
    }

    /** Of the line with the least squares; 0 for fewer than two points. */
    private static double slope(List<Point> points) {
        double meanX = points.stream().mapToDouble(Point::second).average().orElse(0);
        double meanY = points.stream().mapToDouble(Point::value).average().orElse(0);
        double product = 0;
        double square = 0;
        for (Point point : points) {
            double x = point.second - meanX;
            product += x * (point.value - meanY);
            square += x * x;
        }
        return square == 0 ? 0 : product / square;
    }

    private record Point(double second, double value) {}
}
