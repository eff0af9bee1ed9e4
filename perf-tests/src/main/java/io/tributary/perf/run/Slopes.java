package io.tributary.perf.run;

import io.tributary.perf.result.Sample;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What grows over a run: the slope of a straight line through all samples. */
final class Slopes {
    private static final double SECONDS_AN_HOUR = 3_600;
    /** Below this a slope says nothing. */
    private static final double SHORTEST_SECONDS = 300;

    private Slopes() {}

    /** The memory of each process in megabytes an hour; nothing for a short run. */
    static Map<String, Double> of(List<Sample> samples) {
        Map<String, Double> slopes = new LinkedHashMap<>();
        if (samples.isEmpty() || samples.getLast().second() < SHORTEST_SECONDS) {
            return slopes;
        }
        // Without the first quarter, in which a JVM is still growing.
        List<Sample> later = samples.subList(samples.size() / 4, samples.size());
        for (String process : samples.getLast().megabytes().keySet()) {
            slopes.put(process + ": MB of memory an hour", slope(later, process));
        }
        return slopes;
    }

    private static double slope(List<Sample> samples, String process) {
        double meanX = samples.stream().mapToDouble(Sample::second).average().orElse(0);
        double meanY = samples.stream()
                .mapToDouble(one -> megabytes(one, process))
                .average()
                .orElse(0);
        double product = 0;
        double square = 0;
        for (Sample sample : samples) {
            double x = sample.second() - meanX;
            product += x * (megabytes(sample, process) - meanY);
            square += x * x;
        }
        return square == 0 ? 0 : product / square * SECONDS_AN_HOUR;
    }

    private static double megabytes(Sample sample, String process) {
        return sample.megabytes().getOrDefault(process, 0.0);
    }
}
