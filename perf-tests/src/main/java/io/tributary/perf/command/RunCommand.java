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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
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

    @Mixin
    private TargetOptions targetOptions = new TargetOptions();

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
            description =
                    "For result.json, report.md and report.html (perf-results/NAME-TIME). With - nothing is written, and"
                            + " result.json printed as one line behind the report.")
    private @Nullable Path out;

    @Option(names = "--accept-bottleneck", description = "Report a run that the tool itself spoilt, marked as such.")
    private boolean acceptsBottleneck;

    @Override
    public Integer call() throws IOException {
        if (repeat < 1) {
            throw new UsageException("--repeat needs a number of 1 or more, not " + repeat);
        }
        List<PlannedRun> planned = targetOptions.runs(Library.find(name), Map.of());
        List<RunResult> results = new ArrayList<>();
        boolean refused = false;
        Measurement measurement = targetOptions.measurement(err());
        try (LocalRunners runners = LocalRunners.of(runnerOptions, err())) {
            for (PlannedRun run : planned) {
                for (int i = 0; i < repeat; i++) {
                    RunResult result = measurement.perform(run, targetOptions.target(run), runners);
                    boolean valid = result.refusals().isEmpty() || acceptsBottleneck;
                    if (valid) {
                        results.add(result);
                    } else {
                        refused = true;
                        result.refusals().forEach(why -> err().println("tributary: no result: " + why));
                    }
                }
            }
        } finally {
            if (!results.isEmpty()) {
                report(results); // of what came to its end, where not all did
            }
        }
        if (refused) {
            return ExitCodes.BOTTLENECK;
        }
        return ExitCodes.of(results);
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

    private void report(List<RunResult> results) throws IOException {
        PrintWriter print = spec.commandLine().getOut();
        String markdown = MarkdownReport.of(results);
        if (ResultFile.isForOutput(out)) {
            print.println(markdown);
            printMedian(results);
            print.println(ResultFile.of(results).line());
            return;
        }
        Path directory = directory();
        ResultFile.of(results).write(directory.resolve("result.json"));
        Files.writeString(directory.resolve("report.md"), markdown);
        Files.writeString(
                directory.resolve("report.html"),
                HtmlReport.of(
                        results.getFirst().label() + " on "
                                + results.getFirst().target().name(),
                        results));
        print.println(markdown);
        printMedian(results);
        err().println("Written to " + directory + ": result.json, report.md, report.html");
    }

    private void printMedian(List<RunResult> results) {
        if (results.size() > 2) {
            RunResult median = median(results);
            spec.commandLine()
                    .getOut()
                    .printf(
                            Locale.ROOT,
                            "Median by CPU a message: %.2f us of the broker (run of %s)%n",
                            median.measured().microsPerMessage(median.targetCpuSeconds()),
                            median.started());
        }
    }

    private static RunResult median(List<RunResult> results) {
        return results.stream()
                .sorted(Comparator.comparingDouble(result -> result.targetCpuSeconds()
                        / Math.max(1, result.measured().count(Count.RECEIVED))))
                .toList()
                .get(results.size() / 2);
    }
}
