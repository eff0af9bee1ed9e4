package io.tributary.perf.run;

import static java.util.Objects.requireNonNull;

import io.tributary.perf.judge.Metric;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.RunResult.TargetFacts;
import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.scenario.ScenarioFile;
import io.tributary.perf.scenario.Step.Fault;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs for tests. */
final class Runs {
    /** Takes what is said, and drops it. */
    static final PrintWriter SILENT = new PrintWriter(Writer.nullWriter());

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
        return perform(planned, address, runners, fault -> {
            throw new AssertionError("nobody asked for " + fault);
        });
    }

    /** The same where faults may happen. */
    static RunResult perform(
            PlannedRun planned, InetSocketAddress address, @Nullable Runners runners, Consumer<Fault> faults) {
        TargetFacts facts = new TargetFacts("test", "1", Map.of());
        Watched watched = new Watched(Map.of("broker", ProcessHandle.current().pid()), Map.of(), Map::of);
        return new Run(planned, facts, List.of(address), watched, faults, true, "test").perform(runners, _ -> {});
    }
}
