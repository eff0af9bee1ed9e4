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
import java.util.List;

/**
 * Rows of text under a head.
 *
 * @param rows each as long as the head
 */
record Table(List<String> head, List<List<String>> rows) {
    /** Copies the lists. */
    Table {
        head = List.copyOf(head);
        rows = List.copyOf(rows);
    }

    /** The same with rows as columns. */
    Table turned() {
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
                .filter(process -> process.isOfTool() == tool)
                .mapToDouble(ProcessUse::cpuSeconds)
                .sum();
    }

    /** What memory grew by for each connection of a step, where it is about connections. */
    private static double memoryPerConnection(StepResult step) {
        if (step.count(Count.CONNECTED) == 0 || step.count(Count.SENT) > 0) {
            return Double.NaN;
        }
        double grown = step.processes().stream()
                .filter(process -> !process.isOfTool())
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
                    Integer.toString(process.files()),
                    Format.number(run.measured().bytesPerMessage(process.writtenMegabytes()))));
        }
        return new Table(
                List.of(
                        "process",
                        "cores",
                        "us a message out",
                        "MB",
                        "threads",
                        "open files",
                        "bytes to disk a message out"),
                rows);
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
