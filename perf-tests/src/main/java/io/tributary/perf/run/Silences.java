package io.tributary.perf.run;

import io.tributary.perf.judge.Metric;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.StepResult;
import io.tributary.perf.scenario.Scenario;
import io.tributary.perf.scenario.Step.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** For how long subscribers that kept their connections got nothing: with faults, and in the steps before them. */
final class Silences {
    private static final double MILLIS = 1e3;

    private Silences() {}

    /** In words; nothing where no step had a fault, or nobody looked. */
    static List<String> remarks(Scenario scenario, List<StepResult> results) {
        List<Distribution> with = new ArrayList<>();
        List<Distribution> without = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            Distribution silence = results.get(i).times().get(Metric.SILENCE);
            if (silence != null && hasOutage(scenario, i)) {
                with.add(silence);
            } else if (silence != null && hasOutage(scenario, i + 1)) {
                without.add(silence);
            }
        }
        List<String> remarks = new ArrayList<>();
        if (!with.isEmpty()) {
            remarks.add(said("with a fault", with));
            if (!without.isEmpty()) {
                remarks.add(said("without", without));
            }
        }
        return remarks;
    }

    private static boolean hasOutage(Scenario scenario, int step) {
        Fault fault =
                step < scenario.steps().size() ? scenario.steps().get(step).fault() : null;
        return fault != null && fault.isOutage();
    }

    private static String said(String when, List<Distribution> rounds) {
        List<Double> longest = sorted(rounds, Distribution::max);
        return String.format(
                Locale.ROOT,
                "The longest silence of any subscriber that kept its connection, %s: %.2f s in the median of %d rounds, %.2f s"
                        + " in the worst (%s); that of half of the subscribers: %.2f s, %.2f s.",
                when,
                median(longest),
                longest.size(),
                longest.getLast(),
                rounds.stream()
                        .map(round -> String.format(Locale.ROOT, "%.2f", round.max() / MILLIS))
                        .collect(Collectors.joining(", ")),
                median(sorted(rounds, Distribution::p50)),
                sorted(rounds, Distribution::p50).getLast());
    }

    private static List<Double> sorted(List<Distribution> rounds, ToDoubleFunction<Distribution> millis) {
        return rounds.stream()
                .map(round -> millis.applyAsDouble(round) / MILLIS)
                .sorted()
                .toList();
    }

    private static double median(List<Double> sorted) {
        int size = sorted.size();
        return (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
    }
}
