package io.tributary.perf.run;

import static java.util.Objects.requireNonNull;

import io.tributary.perf.judge.Metric;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.RunResult.TargetFacts;
import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.scenario.ScenarioFile;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs for tests. */
final class Runs {
    private Runs() {}

    /** The only run of a scenario. */
    static PlannedRun planned(String yaml) {
        return ScenarioFile.of("test", yaml).runs(Map.of(), null).getFirst();
    }

    /** How many values a distribution of the measured steps has. */
    static long values(RunResult result, Metric metric) {
        return requireNonNull(result.measured().times().get(metric)).values();
    }

    /** Carries a run out. */
    static RunResult perform(PlannedRun planned, InetSocketAddress address, @Nullable Runners runners) {
        TargetFacts facts = new TargetFacts("test", "1", Map.of());
        Watched watched = new Watched(Map.of("broker", ProcessHandle.current().pid()), Map.of());
        return new Run(planned, facts, List.of(address), watched, "test").perform(runners, _ -> {});
    }
}
