package io.tributary.perf.run;

import io.tributary.perf.result.Sample;
import io.tributary.perf.scenario.Scenario;
import io.tributary.perf.scenario.Step;
import io.tributary.perf.scenario.Step.Action;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Whether the rate of a closed loop had levelled off when it was measured: a broker that is still warming up, most
 * often, gets faster all the time, and the figures are of a moment that passes.
 */
final class Levelling {
    /** Fewer samples say nothing. */
    private static final int FEWEST_SAMPLES = 9;

    /** What the last third of a step may be faster by than the first. */
    private static final double TOLERATED = 0.05;

    private Levelling() {}

    /** In words, which measured steps still got faster; nothing for rates that the scenario gives. */
    static List<String> remarks(Scenario scenario, List<Sample> samples) {
        if (scenario.isOpenLoop()) {
            return List.of();
        }
        return scenario.steps().stream()
                .filter(step -> step.measured() && step.action() == Action.PUBLISH && step.messages() == 0)
                .flatMap(step -> remark(step, samples, scenario.parameters().containsKey("warmup")).stream())
                .toList();
    }

    private static Optional<String> remark(Step step, List<Sample> samples, boolean hasWarmUp) {
        double[] rates = samples.stream()
                .filter(sample -> sample.step().equals(step.name()))
                .skip(1) // a part of it is of the step before
                .mapToDouble(Sample::received)
                .toArray();
        if (rates.length < FEWEST_SAMPLES) {
            return Optional.empty();
        }
        double first = third(rates, 0);
        double last = third(rates, 2);
        boolean isRising = first < third(rates, 1) && third(rates, 1) < last && last > first * (1 + TOLERATED);
        return isRising
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "The rate has not levelled off: in step %s %,.0f messages a second came in the first third of the time"
                                + " and %,.0f in the last, %.0f %% more. A longer warm-up%s gives figures that last.",
                        step.name(),
                        first,
                        last,
                        100 * (last / first - 1),
                        hasWarmUp ? ", such as --set warmup=60s," : ""))
                : Optional.empty();
    }

    private static double third(double[] rates, int which) {
        int from = which * rates.length / 3;
        int to = (which + 1) * rates.length / 3;
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += rates[i];
        }
        return sum / (to - from);
    }
}
