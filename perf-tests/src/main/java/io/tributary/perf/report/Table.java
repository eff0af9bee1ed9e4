package io.tributary.perf.report;

import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.Growth;
import io.tributary.perf.result.ProcessUse;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.StepResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Rows of text under a head.
 *
 * @param rows each as long as the head
 */
record Table(List<String> head, List<List<String>> rows) {
    private static final int MOST_COLUMNS = 4;

    /** Copies the lists. */
    Table {
        head = List.copyOf(head);
        rows = List.copyOf(rows);
    }

    /** The figures that decide: a column for each run or, where they are many, a row. */
    static Table headline(List<RunResult> runs) {
        Map<String, Function<RunResult, String>> lines = new LinkedHashMap<>();
        lines.put("verdict", Table::verdict);
        lines.put("messages in / s", run -> Format.number(run.measured().perSecond(Count.SENT)));
        lines.put("messages out / s", run -> Format.number(run.measured().perSecond(Count.RECEIVED)));
        lines.put(
                "CPU of all broker processes, us a message out",
                run -> run.knowsTarget()
                        ? Format.number(run.measured().microsPerMessage(run.targetCpuSeconds()))
                        : "unknown");
        lines.put(
                "CPU of the load tool, us a message out",
                run -> Format.number(run.measured().microsPerMessage(run.toolCpuSeconds())));
        lines.put(
                "messages out / s and core of the broker",
                run -> run.knowsTarget()
                        ? Format.number(run.measured().count(Count.RECEIVED) / run.targetCpuSeconds())
                        : "unknown");
        lines.put("end to end, ms: p50 / p99 / max", run -> times(run, Metric.END_TO_END));
        lines.put("publish acknowledgement, ms: p50 / p99 / max", run -> times(run, Metric.PUBLISH));
        lines.put("request and answer, ms: p50 / p99 / max", run -> times(run, Metric.ROUND_TRIP));
        lines.put("connect, ms: p50 / p99 / max", run -> times(run, Metric.CONNECT));
        lines.put("send delay of the load tool, ms: p50 / p99 / max", run -> times(run, Metric.SEND_DELAY));
        lines.put("lost", run -> Format.whole(run.lost()));
        lines.put(
                "duplicates (with DUP)",
                run -> Format.whole(run.count(Count.DUPLICATE)) + " ("
                        + Format.whole(run.count(Count.DUPLICATE_FLAGGED)) + ")");
        lines.put("out of order", run -> Format.whole(run.count(Count.OUT_OF_ORDER)));
        lines.put("memory of the broker processes at the end, MB", run -> Format.number(memory(run)));
        lines.put("what grows", Table::grows);
        lines.put(
                "machine busy (others than broker and tool), %",
                run -> String.format(
                        Locale.ROOT,
                        "%.0f (%.0f)",
                        100 * run.measured().machineBusy(),
                        100 * run.measured().othersBusy()));
        List<String> head = new ArrayList<>(List.of(""));
        head.addAll(RunNames.of(runs));
        List<List<String>> rows = new ArrayList<>();
        lines.forEach((name, value) -> {
            List<String> row = new ArrayList<>(List.of(name));
            runs.forEach(run -> row.add(value.apply(run)));
            if (row.stream().skip(1).anyMatch(cell -> !cell.equals("-"))) {
                rows.add(row);
            }
        });
        Table table = new Table(head, rows);
        return runs.size() > MOST_COLUMNS ? table.turned() : table;
    }

    private Table turned() {
        List<String> newHead = new ArrayList<>(List.of(head.getFirst()));
        rows.forEach(row -> newHead.add(row.getFirst()));
        List<List<String>> newRows = new ArrayList<>();
        for (int column = 1; column < head.size(); column++) {
            List<String> row = new ArrayList<>(List.of(head.get(column)));
            for (List<String> line : rows) {
                row.add(line.get(column));
            }
            newRows.add(row);
        }
        return new Table(newHead, newRows);
    }

    private static String verdict(RunResult run) {
        if (!run.refusals().isEmpty()) {
            return "NOT VALID: the tool was the bottleneck";
        }
        return run.lost() == 0 ? "all delivered" : "messages lost";
    }

    /** Of a run that is too short to tell, nothing. */
    private static String grows(RunResult run) {
        if (run.growth().isEmpty()) {
            return "-";
        }
        List<String> beyond = run.growth().stream()
                .filter(Growth::isBeyondLimit)
                .map(Growth::what)
                .toList();
        return beyond.isEmpty() ? "nothing" : String.join(", ", beyond);
    }

    private static String times(RunResult run, Metric metric) {
        Distribution times = run.measured().times().get(metric);
        return times == null
                ? "-"
                : Format.number(times.p50()) + " / " + Format.number(times.p99()) + " / " + Format.number(times.max());
    }

    private static double memory(RunResult run) {
        return run.knowsTarget()
                ? run.measured().processes().stream()
                        .filter(process -> !process.name().startsWith(RunResult.TOOL))
                        .mapToDouble(ProcessUse::rssEndMegabytes)
                        .sum()
                : Double.NaN;
    }

    /** The steps of a run. */
    static Table steps(RunResult run) {
        List<List<String>> rows = new ArrayList<>();
        for (StepResult step : run.steps()) {
            rows.add(List.of(
                    step.name(),
                    Format.number(step.seconds()),
                    Format.whole(step.count(Count.CONNECTED)),
                    Format.number(step.perSecond(Count.CONNECTED)),
                    Format.whole(step.count(Count.SENT)),
                    Format.whole(step.count(Count.RECEIVED)),
                    step.secondsToFirst() < 0 ? "-" : Format.number(step.secondsToFirst()),
                    step.secondsToLast() < 0 ? "-" : Format.number(step.secondsToLast()),
                    Format.number(cpu(step, false)),
                    Format.number(cpu(step, true)),
                    Format.number(memoryPerConnection(step))));
        }
        return new Table(
                List.of(
                        "step",
                        "s",
                        "connected",
                        "a second",
                        "sent",
                        "received",
                        "first after s",
                        "last after s",
                        "broker CPU s",
                        "tool CPU s",
                        "broker kB a connection"),
                rows);
    }

    private static double cpu(StepResult step, boolean tool) {
        return step.processes().stream()
                .filter(process -> process.name().startsWith(RunResult.TOOL) == tool)
                .mapToDouble(ProcessUse::cpuSeconds)
                .sum();
    }

    /** What memory grew by for each connection of a step, where it is about connections. */
    private static double memoryPerConnection(StepResult step) {
        if (step.count(Count.CONNECTED) == 0 || step.count(Count.SENT) > 0) {
            return Double.NaN;
        }
        double grown = step.processes().stream()
                .filter(process -> !process.name().startsWith(RunResult.TOOL))
                .mapToDouble(process -> process.rssEndMegabytes() - process.rssBeginMegabytes())
                .sum();
        return grown * 1024 / step.count(Count.CONNECTED);
    }

    /** What each process took while it counted. */
    static Table processes(RunResult run) {
        List<List<String>> rows = new ArrayList<>();
        for (ProcessUse process : run.measured().processes()) {
            rows.add(List.of(
                    process.name(),
                    Format.number(process.cpuSeconds() / run.measured().seconds()),
                    Format.number(run.measured().microsPerMessage(process.cpuSeconds())),
                    Format.number(process.rssEndMegabytes()),
                    Integer.toString(process.threads()),
                    Integer.toString(process.files())));
        }
        return new Table(List.of("process", "cores", "us a message out", "MB", "threads", "open files"), rows);
    }

    /** All distributions of a run, in milliseconds. */
    static Table distributions(RunResult run) {
        List<List<String>> rows = new ArrayList<>();
        for (Metric metric : Metric.values()) {
            Distribution times = run.measured().times().get(metric);
            if (times != null) {
                List<String> row = new ArrayList<>(List.of(metric.words(), Format.whole(times.values())));
                double[] figures = {
                    times.mean(),
                    times.deviation(),
                    times.p50(),
                    times.p90(),
                    times.p95(),
                    times.p99(),
                    times.p999(),
                    times.max()
                };
                Arrays.stream(figures).mapToObj(Format::number).forEach(row::add);
                rows.add(row);
            }
        }
        return new Table(
                List.of("ms", "values", "mean", "deviation", "p50", "p90", "p95", "p99", "p99.9", "max"), rows);
    }

    /** What became of what should have stayed the same. */
    static Table growth(RunResult run) {
        List<List<String>> rows = new ArrayList<>();
        for (Growth growth : run.growth()) {
            rows.add(List.of(
                    growth.what(),
                    growth.unit(),
                    Format.number(growth.rise()),
                    Format.number(growth.minutes()),
                    Format.number(growth.perHour()),
                    Format.number(growth.limit()),
                    growth.isBeyondLimit() ? "GROWS" : "steady"));
        }
        return new Table(
                List.of("what should stay the same", "unit", "rise", "in minutes", "an hour", "limit", "verdict"),
                rows);
    }

    /** As Markdown. */
    String markdown() {
        StringBuilder text = new StringBuilder();
        line(text, head);
        line(text, head.stream().map(_ -> "---").toList());
        rows.forEach(row -> line(text, row));
        return text.toString();
    }

    private static void line(StringBuilder text, List<String> cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    /** As HTML. */
    String html() {
        StringBuilder text = new StringBuilder("<div class=\"scroll\"><table><thead><tr>");
        head.forEach(cell -> text.append("<th>").append(Html.escape(cell)).append("</th>"));
        text.append("</tr></thead><tbody>");
        for (List<String> row : rows) {
            text.append("<tr>");
            row.forEach(cell -> text.append("<td>").append(Html.escape(cell)).append("</td>"));
            text.append("</tr>\n");
        }
        return text.append("</tbody></table></div>\n").toString();
    }
}
