package io.tributary.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.ProcessUse;
import io.tributary.perf.result.RunResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The tables of scenario families in perf-tests/results/README.md are those of the results beside it. */
class FamiliesInDocsTest {
    private static final Path DOC = Path.of("results", "README.md");

    /** A table: what a file is called, and what a row of it says. */
    private record Part(String file, String title) {}

    private static final List<Part> PARTS = List.of(
            new Part("p2p-rate.standalone", "1. P2P at fixed rates, standalone"),
            new Part("p2p-rate.cluster", "1. P2P at fixed rates, cluster of one node"),
            new Part("p2p-store-each.cluster", "1. Stores: P2P, a save point after every message"),
            new Part("p2p-store-timed.cluster", "1. Stores: P2P, a save point a second for each shard"),
            new Part("p2p-store-default.cluster", "1. Stores: P2P, the default save points"),
            new Part("many-to-many.standalone", "2. Many to many, standalone"),
            new Part("soak.standalone", "8. Soak, standalone"),
            new Part("soak.cluster", "8. Soak, cluster of one node"));

    private record Column(String title, Function<RunResult, String> cell) {}

    private static final List<Column> COLUMNS = List.of(
            new Column("out, messages/s", run -> Format.number(run.measured().perSecond(Count.RECEIVED))),
            new Column("end to end p50, ms", run -> time(run, Metric.END_TO_END, Distribution::p50)),
            new Column("p99", run -> time(run, Metric.END_TO_END, Distribution::p99)),
            new Column("mean", run -> time(run, Metric.END_TO_END, Distribution::mean)),
            new Column("deviation", run -> time(run, Metric.END_TO_END, Distribution::deviation)),
            new Column("acknowledgement p50", run -> time(run, Metric.PUBLISH, Distribution::p50)),
            new Column("CPU, us a message", run -> Format.number(ResultsInDocsTest.micros(run))),
            new Column("CPU, %", FamiliesInDocsTest::percents),
            new Column("lost in the whole run", run -> Format.whole(run.lost())),
            new Column("", run -> run.refusals().isEmpty() ? "" : "the load tool was the bottleneck"));

    @Test
    void tablesAreThoseOfTheResults() throws IOException {
        StringBuilder text = new StringBuilder();
        for (Part part : PARTS) {
            List<RunResult> runs = ResultsInDocsTest.runs(part.file());
            assertThat(runs).as(part.file()).isNotEmpty();
            text.append("\n### ").append(part.title()).append("\n\n");
            text.append(table(runs).markdown()).append('\n');
            runs.stream()
                    .filter(run -> !run.growth().isEmpty())
                    .forEach(run -> text.append(Table.growth(run).markdown()).append('\n'));
            text.append(ResultsInDocsTest.setting(runs));
        }
        GeneratedText.check(DOC, "families", text + "\n");
    }

    private static Table table(List<RunResult> runs) {
        List<String> head = new ArrayList<>(List.of("run"));
        COLUMNS.forEach(column -> head.add(column.title()));
        List<String> names =
                RunNames.shortened(runs.stream().map(RunResult::label).toList());
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            RunResult run = runs.get(i);
            List<String> row = new ArrayList<>(List.of(names.get(i)));
            COLUMNS.forEach(column -> row.add(column.cell().apply(run)));
            rows.add(row);
        }
        return new Table(head, rows);
    }

    private static String time(RunResult run, Metric metric, Function<Distribution, Double> of) {
        Distribution distribution = run.measured().times().get(metric);
        return distribution == null || distribution.values() == 0 ? "" : Format.number(of.apply(distribution));
    }

    /** Of one core, by process where there are several. */
    private static String percents(RunResult run) {
        List<String> parts = new ArrayList<>();
        for (ProcessUse process : run.measured().processes()) {
            double percent = 100 * process.cpuSeconds() / run.measured().seconds();
            if (!process.name().startsWith(RunResult.TOOL) && (percent >= 1 || parts.isEmpty())) {
                parts.add(process.name() + " " + Format.number(percent));
            }
        }
        return String.join(", ", parts);
    }
}
