package io.tributary.perf.report;

import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.StepResult;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A step of a run on a time axis, in seconds since the beginning of the run.
 *
 * @param isMeasured whether its figures are the result
 */
record Phase(String name, double begin, double end, boolean isMeasured) {
    /** Runs of one scenario differ by less: what they differ in is how long connecting takes. */
    private static final double SAME_SECONDS = 3;

    /** The steps of a run. */
    static List<Phase> of(RunResult run) {
        Set<String> measured = measured(run);
        List<Phase> phases = new ArrayList<>();
        double begin = 0;
        for (StepResult step : run.steps()) {
            double end = begin + step.seconds();
            phases.add(new Phase(step.name(), begin, end, measured.contains(step.name())));
            begin = end;
        }
        return phases;
    }

    /** The steps of the first run, if the others had theirs at about the same time; else none. */
    static List<Phase> common(List<RunResult> runs) {
        List<Phase> first = of(runs.getFirst());
        return runs.stream().allMatch(run -> isAlike(first, of(run))) ? first : List.of();
    }

    private static boolean isAlike(List<Phase> some, List<Phase> others) {
        if (some.size() != others.size()) {
            return false;
        }
        for (int i = 0; i < some.size(); i++) {
            Phase one = some.get(i);
            Phase other = others.get(i);
            if (!one.name.equals(other.name) || Math.abs(one.begin - other.begin) > SAME_SECONDS) {
                return false;
            }
        }
        return true;
    }

    private static Set<String> measured(RunResult run) {
        Set<String> names = new HashSet<>();
        if (run.scenario().get("steps") instanceof List<?> steps) {
            for (Object step : steps) {
                if (step instanceof Map<?, ?> given && Boolean.TRUE.equals(given.get("measured"))) {
                    names.add(String.valueOf(given.get("name")));
                }
            }
        }
        return names;
    }
}
