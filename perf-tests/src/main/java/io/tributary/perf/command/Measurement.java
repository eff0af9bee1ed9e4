package io.tributary.perf.command;

import io.tributary.cli.Program;
import io.tributary.cli.UsageException;
import io.tributary.perf.report.ProgressLine;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.RunResult.TargetFacts;
import io.tributary.perf.run.Run;
import io.tributary.perf.run.Watched;
import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.scenario.Scenario;
import io.tributary.perf.scenario.ScenarioException;
import io.tributary.perf.target.NodeMetrics;
import io.tributary.perf.target.Target;
import io.tributary.perf.target.TargetContext;
import io.tributary.perf.target.Targets;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One run with all that it needs: starts what is measured, carries the run out, and ends what it started.
 *
 * @param err says what goes on
 * @param pids processes to measure besides those that are known
 * @param nodes the HTTP listeners of nodes of a Tributary to measure besides, by name
 */
record Measurement(PrintWriter err, Map<String, Long> pids, Map<String, URI> nodes) {
    /**
     * Makes a run.
     *
     * @param words the target in those of the command line, in which parameters of the run may be named
     * @throws IOException if its folder cannot be made
     */
    RunResult perform(PlannedRun planned, String words, LocalRunners runners) throws IOException {
        Scenario scenario = planned.scenario();
        String target = target(planned, words);
        Path data = Files.createTempDirectory("tributary-perf-");
        TargetContext context =
                new TargetContext(Program.launcher(), data, peers(), scenario.mqtt(), scenario.targetSettings());
        err.printf(
                Locale.ROOT,
                "%s %s: %,d clients on %s%n",
                scenario.name(),
                planned.label(),
                scenario.clients(),
                target);
        try (Target started = Targets.start(target, context, pids)) {
            ProgressLine progress =
                    new ProgressLine(err, Boolean.getBoolean("tributary.perf.terminal"), lengths(scenario));
            TargetFacts facts = new TargetFacts(started.name(), started.version(), started.facts());
            Map<String, URI> each = NodeMetrics.each(nodes, err);
            if (each.size() > nodes.size()) {
                each.forEach((name, listener) -> err.println(name + " is " + listener));
            }
            each.keySet().stream()
                    .filter(started.processes()::containsKey)
                    .findFirst()
                    .ifPresent(twice -> {
                        throw new UsageException("--node and --pid: only one of them can be " + twice);
                    });
            Watched watched = new Watched(started.processes(), NodeMetrics.of(each), counts(started, each));
            Run run = new Run(
                    planned, facts, started.addresses(), watched, started.faults(), started.stays(), Program.commit());
            try {
                return run.perform(runners.present(), progress);
            } finally {
                progress.finish();
            }
        } finally {
            delete(data);
        }
    }

    /** Filled in; its policy is the run's, by whose name the result goes. */
    private static String target(PlannedRun planned, String words) {
        String target;
        try {
            target = planned.filled(words);
        } catch (ScenarioException e) {
            throw new UsageException("--target " + words + ": " + e.getMessage());
        }
        Object policy = planned.scenario().parameters().get("policy");
        if (policy != null && target.matches("(haproxy|nginx):.*") && !target.split(":", -1)[1].equals(policy)) {
            throw new UsageException("--target " + words + ": this run has policy=" + policy
                    + "; write '${policy}' for the policy (in single quotes), or add --set policy=...");
        }
        return target;
    }

    private static Supplier<Map<String, Long>> counts(Target started, Map<String, URI> nodes) {
        return nodes.isEmpty() ? started.counts() : NodeMetrics.counts(List.copyOf(nodes.values()));
    }

    /** Where programs of others are kept, that are built once. */
    private static Path peers() {
        String cache = System.getenv("XDG_CACHE_HOME");
        Path folder =
                cache == null || cache.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
        return folder.resolve("tributary").resolve("peers");
    }

    private static Map<String, Double> lengths(Scenario scenario) {
        Map<String, Double> lengths = new LinkedHashMap<>();
        // With a number of messages the time is the longest that a step may take.
        scenario.steps()
                .forEach(step -> lengths.put(
                        step.name(), step.messages() > 0 ? 0 : step.length().toMillis() / 1e3));
        return lengths;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.deleteIfExists(file);
            }
        }
    }
}
