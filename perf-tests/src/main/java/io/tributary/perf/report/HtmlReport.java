package io.tributary.perf.report;

import io.tributary.perf.judge.Metric;
import io.tributary.perf.report.Chart.Point;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.Sample;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Results as one page that needs nothing else: no script, no other file, no network. */
public final class HtmlReport {
    private static final int MOST_LINES = 8;

    private HtmlReport() {}

    /** One run or several, side by side. */
    public static String of(String title, List<RunResult> runs) {
        StringBuilder body = new StringBuilder();
        body.append("<h1>").append(Html.escape(title)).append("</h1>\n");
        String warning = MarkdownReport.warning(runs);
        if (!warning.isEmpty()) {
            body.append("<p class=\"refused\">").append(Html.escape(warning)).append("</p>\n");
        }
        for (RunResult run : runs) {
            notes(body, run);
        }
        body.append(Headline.of(runs).html());
        body.append("<div class=\"charts\">\n");
        for (Metric metric :
                List.of(Metric.END_TO_END, Metric.ASIDE, Metric.PUBLISH, Metric.ROUND_TRIP, Metric.CONNECT)) {
            append(body, percentiles(metric, runs));
        }
        append(body, overTime("messages out a second", runs, Sample::received));
        if (runs.size() > 1) {
            append(body, overTime("cores of all broker processes", runs, HtmlReport::brokerCores));
            append(body, overTime("MB of all broker processes", runs, HtmlReport::brokerMegabytes));
        }
        body.append("</div>\n");
        runs.forEach(run -> details(body, run));
        return template().replace("{{title}}", Html.escape(title)).replace("{{body}}", body);
    }

    private static void notes(StringBuilder body, RunResult run) {
        run.refusals()
                .forEach(text -> body.append("<p class=\"refused\"><b>Not valid</b> ")
                        .append(Html.escape(run.label() + ": " + text))
                        .append("</p>\n"));
        run.remarks()
                .forEach(text -> body.append("<p class=\"remark\">")
                        .append(Html.escape(RunNames.full(run) + ": " + text))
                        .append("</p>\n"));
    }

    private static void details(StringBuilder body, RunResult run) {
        body.append("<h2>").append(Html.escape(RunNames.full(run))).append("</h2>\n<div class=\"charts\">\n");
        Chart cores = new Chart("cores by process", new Axis.Linear("seconds"), new Axis.Linear("cores"));
        Chart megabytes = new Chart("MB by process", new Axis.Linear("seconds"), new Axis.Linear("MB"));
        Phase.of(run).forEach(cores::mark);
        Phase.of(run).forEach(megabytes::mark);
        TreeSet<String> names = new TreeSet<>();
        run.samples().forEach(sample -> names.addAll(sample.cores().keySet()));
        for (String name : names) {
            cores.add(name, points(run, sample -> sample.cores().getOrDefault(name, 0.0)));
            megabytes.add(name, points(run, sample -> sample.megabytes().getOrDefault(name, 0.0)));
        }
        append(body, cores);
        append(body, megabytes);
        append(body, over("old generation of the heap, MB", run, Sample::heapMegabytes));
        if (!run.growth().isEmpty()) {
            append(body, over("threads by process", run, Sample::threads));
            append(body, over("open files by process", run, Sample::files));
            append(body, over("counted by the target", run, Sample::counts));
        }
        body.append("</div>\n");
        body.append(Table.distributions(run).html());
        body.append(Table.processes(run).html());
        body.append(Table.steps(run).html());
        if (!run.growth().isEmpty()) {
            body.append(Table.growth(run).html());
        }
        body.append("<pre>").append(Html.escape(MarkdownReport.setting(run))).append("</pre>\n");
    }

    private static Chart over(String title, RunResult run, Function<Sample, Map<String, ? extends Number>> values) {
        Chart chart = new Chart(title, new Axis.Linear("seconds"), new Axis.Linear(title));
        Phase.of(run).forEach(chart::mark);
        TreeSet<String> names = new TreeSet<>();
        run.samples().forEach(sample -> names.addAll(values.apply(sample).keySet()));
        for (String name : names) {
            List<Point> points = new ArrayList<>();
            for (Sample sample : run.samples()) {
                Number value = values.apply(sample).get(name);
                if (value != null) {
                    points.add(new Point(sample.second(), value.doubleValue()));
                }
            }
            chart.add(name, points);
        }
        return chart;
    }

    private static void append(StringBuilder body, Chart chart) {
        if (!chart.isEmpty()) {
            body.append(chart.svg());
        }
    }

    private static Chart percentiles(Metric metric, List<RunResult> runs) {
        Chart chart = new Chart(
                metric.words() + ", ms by percentile" + ofHowMany(runs),
                new Axis.Nines("percentile"),
                new Axis.Logarithmic("milliseconds"));
        List<String> names = RunNames.of(runs);
        for (int i = 0; i < shown(runs); i++) {
            Distribution times = runs.get(i).measured().times().get(metric);
            if (times != null) {
                chart.add(
                        names.get(i),
                        times.curve().stream()
                                .map(point -> new Point(point.percentile(), point.millis()))
                                .toList());
            }
        }
        return chart;
    }

    private static Chart overTime(String title, List<RunResult> runs, ToDoubleFunction<Sample> value) {
        Chart chart = new Chart(title + ofHowMany(runs), new Axis.Linear("seconds"), new Axis.Linear(title));
        Phase.common(runs.subList(0, shown(runs))).forEach(chart::mark);
        List<String> names = RunNames.of(runs);
        for (int i = 0; i < shown(runs); i++) {
            chart.add(names.get(i), points(runs.get(i), value));
        }
        return chart;
    }

    private static List<Point> points(RunResult run, ToDoubleFunction<Sample> value) {
        List<Point> points = new ArrayList<>();
        run.samples().stream()
                .skip(1) // the first has no interval before it
                .forEach(sample -> points.add(new Point(sample.second(), value.applyAsDouble(sample))));
        return points;
    }

    /** More lines than colours nobody can read. */
    private static int shown(List<RunResult> runs) {
        return Math.min(runs.size(), MOST_LINES);
    }

    private static String ofHowMany(List<RunResult> runs) {
        return shown(runs) == runs.size() ? "" : " (the first " + shown(runs) + " of " + runs.size() + " runs)";
    }

    private static double brokerCores(Sample sample) {
        return sample.cores().entrySet().stream()
                .filter(entry -> !RunResult.isTool(entry.getKey()))
                .mapToDouble(entry -> entry.getValue())
                .sum();
    }

    private static double brokerMegabytes(Sample sample) {
        return sample.megabytes().entrySet().stream()
                .filter(entry -> !RunResult.isTool(entry.getKey()))
                .mapToDouble(entry -> entry.getValue())
                .sum();
    }

    private static String template() {
        try (InputStream in = HtmlReport.class.getResourceAsStream("report.html")) {
            if (in == null) {
                throw new IllegalStateException("report.html is part of the tool");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
