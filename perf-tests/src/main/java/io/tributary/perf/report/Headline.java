package io.tributary.perf.report;

import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.Growth;
import io.tributary.perf.result.ProcessUse;
import io.tributary.perf.result.RunResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The figures that decide, of runs side by side. */
final class Headline {
    private static final int MOST_COLUMNS = 4;
    private static final String NOTHING = "-";
    private static final String UNKNOWN = "unknown";
    private static final double NO_CHANGE_PERCENT = 0.05;

    private static final List<Line> LINES = List.of(
            text("verdict", Headline::verdict),
            number("messages in / s", run -> run.measured().perSecond(Count.SENT)),
            number("messages out / s", run -> run.measured().perSecond(Count.RECEIVED)),
            ofBroker(
                    "CPU of all broker processes, us a message out",
                    run -> run.measured().microsPerMessage(run.targetCpuSeconds())),
            number(
                    "CPU of the load tool, us a message out",
                    run -> run.measured().microsPerMessage(run.toolCpuSeconds())),
            ofBroker(
                    "messages out / s and core of the broker",
                    run -> run.measured().count(Count.RECEIVED) / run.targetCpuSeconds()),
            times("end to end", Metric.END_TO_END),
            times("end to end of bystanders", Metric.ASIDE),
            times("jitter, from one message to the next", Metric.JITTER),
            times("publish acknowledgement", Metric.PUBLISH),
            times("request and answer", Metric.ROUND_TRIP),
            times("connect", Metric.CONNECT),
            times("send delay of the load tool", Metric.SEND_DELAY),
            text("lost, of all that was published in the run", run -> Format.whole(run.lost())),
            text("lost, of what was published in measured steps", Headline::lostOfMeasured),
            text(
                    "duplicates (with DUP)",
                    run -> Format.whole(run.count(Count.DUPLICATE)) + " ("
                            + Format.whole(run.count(Count.DUPLICATE_FLAGGED)) + ")"),
            text("out of order", run -> Format.whole(run.count(Count.OUT_OF_ORDER))),
            ofBroker(
                    "bytes to disk a message out, all broker processes",
                    run -> run.measured().bytesPerMessage(total(run, ProcessUse::writtenMegabytes))),
            ofBroker(
                    "bytes that nodes sent a message out, to clients, nodes and Redis",
                    run -> run.measured().bytesPerMessage(total(run, ProcessUse::sentMegabytes))),
            number(
                    "bytes over the network a message out, load and loopback included",
                    run -> run.measured().bytesPerMessage(run.measured().sentMegabytes())),
            number("memory of the broker processes at the end, MB", RunResult::targetMegabytes),
            text("what grows", Headline::grows),
            text("machine busy (others than broker and tool), %", Headline::busy));

    private Headline() {}

    /**
     * A figure.
     *
     * @param text as a reader sees it
     * @param values what can be compared, in the order of the text; none for words, and for counts that should be 0
     */
    private record Line(String name, Function<RunResult, String> text, Function<RunResult, double[]> values) {}

    /**
     * A column for each run or, where they are many, a row. Of two runs of one scenario a further column says by how
     * much the second differs.
     */
    static Table of(List<RunResult> runs) {
        boolean compares = runs.size() == 2 && scenarios(runs).size() == 1;
        List<String> head = new ArrayList<>(List.of(""));
        head.addAll(RunNames.of(runs));
        if (compares) {
            head.add("change");
        }
        List<List<String>> rows = new ArrayList<>();
        for (Line line : LINES) {
            List<String> row = new ArrayList<>(List.of(line.name));
            runs.forEach(run -> row.add(line.text.apply(run)));
            if (row.stream().skip(1).allMatch(NOTHING::equals)) {
                continue;
            }
            if (compares) {
                row.add(change(line.values.apply(runs.getFirst()), line.values.apply(runs.getLast())));
            }
            rows.add(row);
        }
        Table table = new Table(head, rows);
        return runs.size() > MOST_COLUMNS ? table.turned() : table;
    }

    /** The names of the runs' scenarios, each once. */
    static List<String> scenarios(List<RunResult> runs) {
        return runs.stream()
                .map(run -> String.valueOf(run.scenario().getOrDefault("name", run.label())))
                .distinct()
                .toList();
    }

    private static Line text(String name, Function<RunResult, String> text) {
        return new Line(name, text, _ -> new double[0]);
    }

    private static Line number(String name, ToDoubleFunction<RunResult> value) {
        return new Line(
                name, run -> Format.number(value.applyAsDouble(run)), run -> new double[] {value.applyAsDouble(run)});
    }

    private static Line ofBroker(String name, ToDoubleFunction<RunResult> value) {
        Line known = number(name, value);
        return new Line(
                name,
                run -> run.knowsTarget() ? known.text.apply(run) : UNKNOWN,
                run -> run.knowsTarget() ? known.values.apply(run) : new double[0]);
    }

    private static Line times(String what, Metric metric) {
        return new Line(what + ", ms: p50 / p99 / max", run -> words(times(run, metric)), run -> times(run, metric));
    }

    private static double[] times(RunResult run, Metric metric) {
        Distribution times = run.measured().times().get(metric);
        return times == null ? new double[0] : new double[] {times.p50(), times.p99(), times.max()};
    }

    private static String words(double[] values) {
        return values.length == 0
                ? NOTHING
                : Arrays.stream(values).mapToObj(Format::number).collect(Collectors.joining(" / "));
    }

    /** By how many per cent each value differs; empty where that cannot be said. */
    private static String change(double[] before, double[] after) {
        List<String> changes = new ArrayList<>();
        for (int i = 0; i < Math.min(before.length, after.length); i++) {
            double percent = 100 * (after[i] - before[i]) / before[i];
            changes.add(
                    !Double.isFinite(percent)
                            ? NOTHING
                            : Math.abs(percent) < NO_CHANGE_PERCENT
                                    ? "0 %"
                                    : String.format(Locale.ROOT, "%+.1f %%", percent));
        }
        return String.join(" / ", changes);
    }

    private static String verdict(RunResult run) {
        if (!run.refusals().isEmpty()) {
            return "NOT VALID: the tool was the bottleneck";
        }
        String delivery = run.lost() == 0
                ? "all delivered"
                : run.unaccounted() == 0 ? "dropped by a limit, and counted" : "messages lost";
        if (run.refused() == 0) {
            return delivery;
        }
        String refused = Format.whole(run.refused()) + " refused";
        return run.lost() == 0 ? refused : delivery + ", " + refused;
    }

    /** Of a result that an older version wrote, nothing. */
    private static String lostOfMeasured(RunResult run) {
        Long lost = run.lostOfMeasured();
        return lost == null ? NOTHING : Format.whole(lost);
    }

    /** Of a run that is too short to tell, nothing. */
    private static String grows(RunResult run) {
        if (run.growth().isEmpty()) {
            return NOTHING;
        }
        List<String> beyond = run.growth().stream()
                .filter(Growth::isBeyondLimit)
                .map(Growth::what)
                .toList();
        return beyond.isEmpty() ? "nothing" : String.join(", ", beyond);
    }

    private static String busy(RunResult run) {
        return String.format(
                Locale.ROOT,
                "%.0f (%.0f)",
                100 * run.measured().machineBusy(),
                100 * run.measured().othersBusy());
    }

    /** Of all processes of the broker; null where it is not known of each. */
    private static @Nullable Double total(RunResult run, Function<ProcessUse, @Nullable Double> what) {
        double sum = 0;
        for (ProcessUse process : run.measured().processes()) {
            Double megabytes = process.isOfTool() ? Double.valueOf(0) : what.apply(process);
            if (megabytes == null) {
                return null;
            }
            sum += megabytes;
        }
        return sum;
    }
}
