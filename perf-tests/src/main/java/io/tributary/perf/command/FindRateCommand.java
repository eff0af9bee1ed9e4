package io.tributary.perf.command;

import io.tributary.cli.UsageException;
import io.tributary.perf.client.ConnectException;
import io.tributary.perf.client.CrewException;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.report.MarkdownReport;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.ResultFile;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.run.RunException;
import io.tributary.perf.run.Runners;
import io.tributary.perf.scenario.Binding;
import io.tributary.perf.scenario.Library;
import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.scenario.ScenarioFile;
import io.tributary.perf.target.TargetException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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

/**
 * {@code perf find-rate}: the highest rate that a broker keeps up. It doubles a parameter until a run does not hold,
 * and halves the distance from there.
 */
@Command(
        name = "find-rate",
        description = {
            "Finds the highest rate at which the mean latency stays below a limit, nothing is lost or refused, and 99 %% of what is due is sent,",
            "and has come by the end.",
            "Each rate is a run of the scenario, with a broker of its own where the tool starts it."
        })
final class FindRateCommand implements Callable<Integer> {
    private static final int MOST_DOUBLINGS = 12;
    private static final double ALL = 0.99;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "SCENARIO", description = "One with a rate, such as p2p-rate.")
    private String name = "";

    @Option(
            names = "--parameter",
            paramLabel = "NAME",
            defaultValue = "rate",
            description = "What is raised, from the value that it has or --set says (${DEFAULT-VALUE}).")
    private String parameter = "";

    @Option(
            names = "--latency",
            paramLabel = "TIME",
            defaultValue = "100ms",
            description = "What the mean latency, publisher to subscriber, has to stay below (${DEFAULT-VALUE}).")
    private String latency = "";

    @Option(
            names = "--steps",
            paramLabel = "N",
            defaultValue = "3",
            description = "How often the distance is halved: 3 for an eighth of the rate (${DEFAULT-VALUE}).")
    private int steps;

    @Mixin
    private TargetOptions targetOptions = new TargetOptions();

    @Mixin
    private RunnerOptions runnerOptions = new RunnerOptions();

    @Option(
            names = "--out",
            paramLabel = "DIRECTORY",
            defaultValue = "perf-results/find-rate",
            description =
                    "For result.json and report.md (${DEFAULT-VALUE}). With - nothing is written, and result.json printed as"
                            + " one line.")
    private Path out = Path.of("");

    private final List<RunResult> tried = new ArrayList<>();
    private double bestOut;
    private boolean isToolAtFault;
    private boolean isRunnerGone;

    @Override
    public Integer call() throws IOException {
        Duration limit = Binding.duration(latency);
        ScenarioFile file = Library.find(name);
        double best = 0;
        double tooMuch = 0;
        double next = first(file);
        try (LocalRunners runners = LocalRunners.of(runnerOptions, err())) {
            for (int i = 0; i <= MOST_DOUBLINGS && tooMuch == 0; i++) {
                if (holds(file, next, limit, runners)) {
                    best = next;
                    next = 2 * next;
                } else {
                    tooMuch = next;
                }
            }
            for (int i = 0; i < steps && best > 0 && tooMuch > 0 && !isRunnerGone; i++) {
                double middle = (best + tooMuch) / 2;
                if (holds(file, middle, limit, runners)) {
                    best = middle;
                } else {
                    tooMuch = middle;
                }
            }
        }
        return write(best, tooMuch);
    }

    private double first(ScenarioFile file) {
        Object usual = file.parameters().get(parameter);
        if (!(usual instanceof Number number)) {
            throw new UsageException("--parameter " + parameter + ": " + name + " has no number of that name; it has "
                    + file.parameters());
        }
        String said = targetOptions.setting(parameter);
        try {
            return said == null ? number.doubleValue() : Double.parseDouble(said);
        } catch (NumberFormatException e) {
            throw new UsageException("--set " + parameter + ": '" + said + "' is not a number", e);
        }
    }

    private boolean holds(ScenarioFile file, double rate, Duration limit, LocalRunners runners) throws IOException {
        List<PlannedRun> planned = targetOptions.runs(file, Map.of(parameter, text(rate)));
        if (planned.size() != 1) {
            throw new UsageException(name + " makes " + planned.size() + " runs; set what varies: "
                    + planned.getFirst().combination().keySet());
        }
        PlannedRun run =
                new PlannedRun(Map.of(parameter, text(rate)), planned.getFirst().tree());
        RunResult result;
        try {
            result = targetOptions.measurement(err()).perform(run, targetOptions.target(run), runners);
        } catch (RunException | CrewException | ConnectException | TargetException e) {
            if (e instanceof TargetException && tried.isEmpty()) {
                throw e; // there was no target at all
            }
            err().println(parameter + "=" + text(rate) + ": does not hold: " + e.getMessage());
            Runners present = runners.present();
            isRunnerGone = present != null && present.isAnyGone();
            isToolAtFault = false;
            return false;
        }
        tried.add(result);
        String why = whyNot(result, limit);
        if (why == null) {
            bestOut = result.measured().perSecond(Count.RECEIVED);
        } else {
            isToolAtFault = !result.refusals().isEmpty();
        }
        err().printf(
                        Locale.ROOT,
                        "%s=%s: %,.0f messages a second out, mean latency %.2f ms: %s%n",
                        parameter,
                        text(rate),
                        result.measured().perSecond(Count.RECEIVED),
                        mean(result),
                        why == null ? "holds" : "does not hold: " + why);
        return why == null;
    }

    /** Why the rate of a run does not hold; null where it does. */
    static @Nullable String whyNot(RunResult result, Duration limit) {
        if (!result.refusals().isEmpty()) {
            return "the load tool is the bottleneck: " + result.refusals().getFirst();
        }
        if (result.lost() > 0) {
            return lost(result);
        }
        if (result.refused() > 0) {
            return String.format(Locale.ROOT, "%,d messages refused", result.refused());
        }
        long due = result.measured().count(Count.DUE);
        if (result.measured().count(Count.SENT) < ALL * due) {
            return "not all was sent that was due";
        }
        if (mean(result) * 1e6 >= limit.toNanos()) {
            return "the latency is above the limit";
        }
        return result.measured().deliveries().share() < ALL ? "not all came that was sent" : null;
    }

    private static String lost(RunResult result) {
        Long measured = result.lostOfMeasured();
        String all = String.format(Locale.ROOT, "%,d messages lost in the whole run", result.lost());
        return measured == null
                ? all
                : all + String.format(Locale.ROOT, ", %,d of those of the measured steps", measured);
    }

    private static double mean(RunResult result) {
        Distribution times = result.measured().times().get(Metric.END_TO_END);
        return times == null || times.values() == 0 ? Double.POSITIVE_INFINITY : times.mean();
    }

    private static String text(double rate) {
        return rate == Math.rint(rate) ? Long.toString((long) rate) : Double.toString(rate);
    }

    private int write(double best, double tooMuch) throws IOException {
        PrintWriter print = spec.commandLine().getOut();
        if (!tried.isEmpty()) {
            String markdown = MarkdownReport.of(tried);
            print.println(markdown.lines().takeWhile(line -> !line.isBlank()).reduce("", (a, b) -> a + b + "\n"));
            if (ResultFile.isForOutput(out)) {
                print.println(ResultFile.of(tried).line());
            } else {
                Files.createDirectories(out);
                ResultFile.of(tried).write(out.resolve("result.json"));
                Files.writeString(out.resolve("report.md"), markdown);
                err().println("Written to " + out + ": result.json, report.md");
            }
        }
        if (isRunnerGone) {
            print.printf(Locale.ROOT, "A runner has gone at %s=%s: no more was tried%n", parameter, text(tooMuch));
        } else if (best == 0) {
            print.println("None holds, not even " + parameter + "=" + text(tooMuch));
        }
        if (best == 0) {
            return ExitCodes.FAILED;
        }
        boolean isToolLimit = tooMuch > 0 && isToolAtFault;
        print.printf(
                Locale.ROOT,
                "%s: %s=%s, %,.0f messages a second out, mean latency below %s%s%n",
                tooMuch == 0 || isToolLimit || isRunnerGone ? "At least" : "Highest that holds",
                parameter,
                text(best),
                bestOut,
                latency,
                tooMuch == 0
                        ? "; higher ones were not tried"
                        : isToolLimit ? "; above it the load tool is the bottleneck" : "");
        return isRunnerGone ? ExitCodes.FAILED : isToolLimit ? ExitCodes.BOTTLENECK : ExitCodes.DONE;
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
