package io.tributary.perf.command;

import io.tributary.cli.UsageException;
import io.tributary.perf.judge.Count;
import io.tributary.perf.report.HtmlReport;
import io.tributary.perf.report.MarkdownReport;
import io.tributary.perf.result.ResultFile;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.scenario.Library;
import io.tributary.perf.scenario.PlannedRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
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
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perf run}: starts what is measured, carries the runs out, and writes what came of them. */
@Command(
        name = "run",
        description =
                "Runs a scenario: a built-in one, or a .yaml file. docs/measuring.md says what is counted and how.")
final class RunCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "SCENARIO", description = "perf list names those that are built in.")
    private String name = "";

    @Option(
            names = "--target",
            paramLabel = "WHAT",
            description =
                    "standalone, cluster, cluster:NODES[,kafka=N][,redis=N], cluster:DIRECTORY, haproxy:POLICY:NODES,"
                            + " nginx:POLICY:NODES (see the scenario load-balancing), mosquitto, hivemq-ce, nats, mochi,"
                            + " rabbitmq, HOST:PORT[,HOST:PORT...]; as the scenario says.")
    private @Nullable String target;

    @Option(
            names = "--pid",
            paramLabel = "NAME=PID",
            description = "A process to measure, besides those that are known (repeat it).")
    private Map<String, Long> pids = new LinkedHashMap<>();

    @Option(
            names = "--node",
            paramLabel = "NAME=URL",
            description =
                    "A node of a Tributary to measure by its metrics, such as n1=http://10.0.0.5:9093 (repeat it).")
    private Map<String, URI> nodes = new LinkedHashMap<>();

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "A parameter of the scenario, or any setting by its path (repeat it).")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(names = "--scale", paramLabel = "FACTOR", description = "Multiplies the numbers of clients.")
    private @Nullable Double scale;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            defaultValue = "1",
            description = "So many times; the median by CPU is named in the report.")
    private int repeat;

    @Mixin
    private RunnerOptions runnerOptions = new RunnerOptions();

    @Option(
            names = "--out",
            paramLabel = "DIRECTORY",
            description = "For result.json, report.md and report.html (perf-results/NAME-TIME).")
    private @Nullable Path out;

    @Option(names = "--accept-bottleneck", description = "Report a run that the tool itself spoilt, marked as such.")
    private boolean acceptsBottleneck;

    @Override
    public Integer call() throws IOException {
        if (repeat < 1) {
            throw new UsageException("--repeat needs a number of 1 or more, not " + repeat);
        }
        nodes.keySet().stream().filter(pids::containsKey).findFirst().ifPresent(twice -> {
            throw new UsageException("--node and --pid: only one of them can be " + twice);
        });
        List<PlannedRun> planned = Library.find(name).runs(settings, scale);
        List<RunResult> results = new ArrayList<>();
        boolean refused = false;
        Measurement measurement = new Measurement(err(), pids, nodes);
        try (LocalRunners runners = LocalRunners.of(runnerOptions)) {
            for (PlannedRun run : planned) {
                for (int i = 0; i < repeat; i++) {
                    String words = target == null ? run.scenario().target() : target;
                    RunResult result = measurement.perform(run, words, runners);
                    boolean valid = result.refusals().isEmpty() || acceptsBottleneck;
                    if (valid) {
                        results.add(result);
                    } else {
                        refused = true;
                        result.refusals().forEach(why -> err().println("tributary: no result: " + why));
                    }
                }
            }
        }
        if (!results.isEmpty()) {
            write(directory(), results);
        }
        if (refused) {
            return ExitCodes.BOTTLENECK;
        }
        return results.stream().allMatch(result -> result.unaccounted() == 0) ? ExitCodes.DONE : ExitCodes.LOST;
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }

    private Path directory() throws IOException {
        String stamp = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT)
                .format(Instant.now().atOffset(ZoneOffset.UTC));
        String plain = Path.of(name).getFileName().toString().replaceAll("\\.ya?ml$", "");
        return Files.createDirectories(out == null ? Path.of("perf-results", plain + "-" + stamp) : out);
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
        PrintWriter print = spec.commandLine().getOut();
        print.println(markdown);
        if (results.size() > 2) {
            RunResult median = median(results);
            print.printf(
                    Locale.ROOT,
                    "Median by CPU a message: %.2f us of the broker (run of %s)%n",
                    median.measured().microsPerMessage(median.targetCpuSeconds()),
                    median.started());
        }
        err().println("Written to " + directory + ": result.json, report.md, report.html");
    }

    private static RunResult median(List<RunResult> results) {
        return results.stream()
                .sorted(Comparator.comparingDouble(result -> result.targetCpuSeconds()
                        / Math.max(1, result.measured().count(Count.RECEIVED))))
                .toList()
                .get(results.size() / 2);
    }
}
