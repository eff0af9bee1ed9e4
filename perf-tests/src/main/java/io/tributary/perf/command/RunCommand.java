package io.tributary.perf.command;

import io.tributary.perf.judge.Count;
import io.tributary.perf.report.HtmlReport;
import io.tributary.perf.report.MarkdownReport;
import io.tributary.perf.report.ProgressLine;
import io.tributary.perf.result.ResultFile;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.RunResult.TargetFacts;
import io.tributary.perf.run.Run;
import io.tributary.perf.run.Watched;
import io.tributary.perf.scenario.Library;
import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.scenario.Scenario;
import io.tributary.perf.target.Target;
import io.tributary.perf.target.TargetContext;
import io.tributary.perf.target.Targets;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code perf run}: starts what is measured, carries the runs out, and writes what came of them. */
final class RunCommand {
    private static final int DONE = 0;
    private static final int BOTTLENECK = 3;
    private static final int LOST = 4;

    private static final Set<String> OPTIONS = Set.of(
            "--target", "--pid", "--set", "--scale", "--repeat", "--runners", "--listen", "--secret-file", "--out");

    private final Path root;
    private final String commit;
    private final PrintStream out;
    private final PrintStream err;

    RunCommand(Path root, String commit, PrintStream out, PrintStream err) {
        this.root = root;
        this.commit = commit;
        this.out = out;
        this.err = err;
    }

    int run(List<String> words) throws IOException {
        Arguments arguments = new Arguments(words, OPTIONS, Set.of("--accept-bottleneck"));
        if (arguments.names().size() != 1) {
            throw new UsageException("run needs one scenario; ./tributary perf list names those that are built in");
        }
        String name = arguments.names().getFirst();
        List<PlannedRun> planned = Library.find(name).runs(arguments.pairs("--set"), scale(arguments));
        List<RunResult> results = new ArrayList<>();
        boolean refused = false;
        try (LocalRunners runners = LocalRunners.of(arguments, root)) {
            for (PlannedRun run : planned) {
                for (int i = 0; i < arguments.number("--repeat", 1); i++) {
                    RunResult result = perform(run, arguments, runners);
                    boolean valid = result.refusals().isEmpty() || arguments.has("--accept-bottleneck");
                    if (valid) {
                        results.add(result);
                    } else {
                        refused = true;
                        result.refusals().forEach(why -> err.println("tributary: no result: " + why));
                    }
                }
            }
        }
        if (!results.isEmpty()) {
            write(directory(arguments, name), results);
        }
        if (refused) {
            return BOTTLENECK;
        }
        return results.stream().allMatch(result -> result.lost() == 0) ? DONE : LOST;
    }

    private static @Nullable Double scale(Arguments arguments) {
        String text = arguments.value("--scale").orElse(null);
        if (text == null) {
            return null;
        }
        try {
            return Double.valueOf(text);
        } catch (NumberFormatException e) {
            throw new UsageException("--scale needs a number, not '" + text + "'", e);
        }
    }

    private RunResult perform(PlannedRun planned, Arguments arguments, LocalRunners runners) throws IOException {
        Scenario scenario = planned.scenario();
        Path data = Files.createTempDirectory("tributary-perf-");
        TargetContext context = new TargetContext(
                root.resolve("tributary"),
                data,
                root.resolve("perf-tests/target/peers"),
                scenario.mqtt().transport(),
                scenario.targetSettings());
        String words = arguments.value("--target").orElse(scenario.target());
        err.printf(
                Locale.ROOT, "%s %s: %,d clients on %s%n", scenario.name(), planned.label(), scenario.clients(), words);
        try (Target target = Targets.start(words, context, pids(arguments))) {
            ProgressLine progress =
                    new ProgressLine(err, Boolean.getBoolean("tributary.perf.terminal"), lengths(scenario));
            TargetFacts facts = new TargetFacts(target.name(), target.version(), target.facts());
            Watched watched = new Watched(target.processes(), target.counts());
            Run run = new Run(planned, facts, target.addresses(), watched, commit);
            try {
                return run.perform(runners.present(), progress);
            } finally {
                progress.finish();
            }
        } finally {
            delete(data);
        }
    }

    private static Map<String, Long> pids(Arguments arguments) {
        Map<String, Long> pids = new LinkedHashMap<>();
        arguments.pairs("--pid").forEach((name, pid) -> {
            try {
                pids.put(name, Long.parseLong(pid));
            } catch (NumberFormatException e) {
                throw new UsageException("--pid needs NAME=PID, not " + name + "=" + pid, e);
            }
        });
        return pids;
    }

    private static Map<String, Double> lengths(Scenario scenario) {
        Map<String, Double> lengths = new LinkedHashMap<>();
        // With a number of messages the time is the longest that a step may take.
        scenario.steps()
                .forEach(step -> lengths.put(
                        step.name(), step.messages() > 0 ? 0 : step.length().toMillis() / 1e3));
        return lengths;
    }

    private static Path directory(Arguments arguments, String name) throws IOException {
        String stamp = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT)
                .format(Instant.now().atOffset(ZoneOffset.UTC));
        String plain = Path.of(name).getFileName().toString().replaceAll("\\.ya?ml$", "");
        return Files.createDirectories(Path.of(arguments.value("--out").orElse("perf-results/" + plain + "-" + stamp)));
    }

    private void write(Path directory, List<RunResult> results) throws IOException {
        ResultFile.of(results).write(directory.resolve("result.json"));
        String markdown = MarkdownReport.of(results);
        Files.writeString(directory.resolve("report.md"), markdown);
        Files.writeString(
                directory.resolve("report.html"),
                HtmlReport.of(
                        results.getFirst().label() + " on "
                                + results.getFirst().target().name(),
                        results));
        out.println(markdown);
        if (results.size() > 2) {
            RunResult median = median(results);
            out.printf(
                    Locale.ROOT,
                    "Median by CPU a message: %.2f us of the broker (run of %s)%n",
                    median.measured().microsPerMessage(median.targetCpuSeconds()),
                    median.started());
        }
        err.println("Written to " + directory + ": result.json, report.md, report.html");
    }

    private static RunResult median(List<RunResult> results) {
        return results.stream()
                .sorted(Comparator.comparingDouble(result -> result.targetCpuSeconds()
                        / Math.max(1, result.measured().count(Count.RECEIVED))))
                .toList()
                .get(results.size() / 2);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
