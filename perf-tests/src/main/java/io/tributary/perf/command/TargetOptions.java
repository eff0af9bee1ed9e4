package io.tributary.perf.command;

import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.scenario.ScenarioFile;
import io.tributary.perf.target.Targets;
import java.io.PrintWriter;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a scenario is run against, with which changes, and what is measured besides. */
final class TargetOptions {
    @Option(
            names = "--target",
            paramLabel = "WHAT",
            completionCandidates = Names.class,
            description = "${COMPLETION-CANDIDATES}, " + Targets.FORMS + "; for POLICY see the scenario"
                    + " load-balancing. $${NAME} in it is a parameter of the scenario. As the scenario says, unless"
                    + " given.")
    private @Nullable String target;

    @Mixin
    private WatchOptions watchOptions = new WatchOptions();

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "A parameter of the scenario, or any setting by its path (repeat it).")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(names = "--scale", paramLabel = "FACTOR", description = "Multiplies the numbers of clients.")
    private @Nullable Double scale;

    /** The targets that have a name, for the help and for completion in a shell. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Targets.names().iterator();
        }
    }

    /** The value of {@code --set} for a parameter; null without one. */
    @Nullable
    String setting(String parameter) {
        return settings.get(parameter);
    }

    /** The runs of a scenario, with {@code --set}, these settings above it, and {@code --scale}. */
    List<PlannedRun> runs(ScenarioFile file, Map<String, String> above) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.putAll(above);
        return file.runs(all, scale);
    }

    /** What a run is against, in the words of {@code --target}. */
    String target(PlannedRun run) {
        return target == null ? run.scenario().target() : target;
    }

    /**
     * What measures.
     *
     * @param err says what goes on
     */
    Measurement measurement(PrintWriter err) {
        return watchOptions.measurement(err);
    }
}
