package io.tributary.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.judge.Snapshot;
import io.tributary.perf.paper.Figure;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.Growth;
import io.tributary.perf.result.Machine;
import io.tributary.perf.result.ProcessUse;
import io.tributary.perf.result.ResultFile;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.RunResult.TargetFacts;
import io.tributary.perf.result.Sample;
import io.tributary.perf.result.StepResult;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

class ReportTest {
    private static final RunResult FIRST = result("p2p", "Tributary <standalone>", 1_000, List.of());
    private static final RunResult SECOND = result("p2p", "Mosquitto", 500, List.of("the tool was too slow"));
    private static final RunResult OTHER = result("latency-rate", "Mosquitto", 500, List.of());

    @Test
    void isSameResultWhenReadBack(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("result.json");
        ResultFile.of(List.of(FIRST, SECOND)).write(file);
        assertThat(ResultFile.read(file).runs()).containsExactly(FIRST, SECOND);
    }

    @Test
    void showsFiguresSideBySideWhenThereAreTwoRuns() {
        String markdown = MarkdownReport.of(List.of(FIRST, SECOND));
        assertThat(markdown)
                .contains("|  | Tributary <standalone> | Mosquitto | change |")
                .contains("| messages out / s | 1,000 | 500 | -50.0 % |")
                .contains("| CPU of all broker processes, us a message out | 200 | 400 | +100.0 % |")
                .contains("| 5.00 / 9.90 / 10.0 | 5.00 / 9.90 / 10.0 | 0 % / 0 % / 0 % |")
                .contains("| lost, of all that was published in the run | 0 | 0 |  |")
                .contains("| bytes to disk a message out, all broker processes | 2,097 | 4,194 | +100.0 % |")
                .contains(
                        "| bytes over the network a message out, load and loopback included | 4,194 | 8,389 | +100.0 % |")
                .doesNotContain("different scenarios")
                .contains("NOT VALID")
                .contains("the tool was too slow");
    }

    @Test
    void saysOfWhatHasNotComeWhetherTheBrokerHasCountedIt() {
        assertThat(MarkdownReport.of(List.of(losing(FIRST, null))))
                .contains("| verdict | messages lost |", "10 messages lost in the whole run. Of 1 publishers' topics:");
        assertThat(MarkdownReport.of(List.of(losing(FIRST, 9L))))
                .contains(
                        "| verdict | messages lost |",
                        "10 messages lost in the whole run (the broker says that it has dropped 9). Of 1");
        assertThat(MarkdownReport.of(List.of(losing(FIRST, 10L))))
                .contains("| verdict | dropped by a limit, and counted |", "published in the run | 10 |");
        assertThat(losing(FIRST, 9L).unaccounted()).isOne();
        assertThat(losing(FIRST, 11L).unaccounted()).isZero();
    }

    @Test
    void countsMemoryOfTheBrokerAloneWhenProcessesAreKnown() {
        assertThat(Figure.MEMORY.of(FIRST)).isEqualTo(120);
        assertThat(MarkdownReport.of(List.of(FIRST)))
                .contains("| memory of the broker processes at the end, MB | 120 |");
    }

    @Test
    void comparesNothingWhenScenariosAreDifferent() {
        String words = "These are runs of different scenarios (p2p, latency-rate)";
        assertThat(MarkdownReport.of(List.of(FIRST, OTHER)))
                .contains(words, "| messages out / s | 1,000 | 500 |\n")
                .doesNotContain("| change |", "-50");
        assertThat(HtmlReport.of("Two scenarios", List.of(FIRST, OTHER)))
                .contains("<p class=\"refused\">" + words)
                .doesNotContain("<th>change</th>");
    }

    @Test
    void comparesNothingWhenThereAreMoreThanTwoRuns() {
        assertThat(MarkdownReport.of(List.of(FIRST, FIRST, FIRST))).doesNotContain("| change |");
    }

    @Test
    void marksStepsOnAxesOfTime() {
        String html = HtmlReport.of("One broker", List.of(FIRST));
        assertThat(html.split("<rect class=\"measured\"", -1))
                .as("over time: rate, and six of the run")
                .hasSize(8);
        assertThat(html).contains(">warm-up</text>", ">measured</text>").contains("class=\"step\"");
    }

    @Test
    void marksNoStepsWhenRunsHadThemAtDifferentTimes() {
        assertThat(Phase.common(List.of(FIRST, SECOND))).extracting(Phase::name).containsExactly("warm-up", "measured");
        assertThat(Phase.common(List.of(FIRST, late(FIRST)))).isEmpty();
        assertThat(Phase.of(late(FIRST))).extracting(Phase::begin).containsExactly(0.0, 10.0);
    }

    @Test
    void needsNothingElseWhenPageIsOpened() {
        String html = HtmlReport.of("Two brokers", List.of(FIRST, SECOND));
        assertThat(html).doesNotContain("http", "<script", "src=", "{{").contains("Tributary &lt;standalone&gt;");
    }

    @Test
    void drawsWellFormedChartsWhenThereIsAnythingToDraw() throws Exception {
        String html = HtmlReport.of("Two brokers", List.of(FIRST, SECOND));
        int charts = 0;
        for (int at = html.indexOf("<figure>"); at >= 0; at = html.indexOf("<figure>", at + 1)) {
            String figure = html.substring(at, html.indexOf("</figure>", at) + "</figure>".length());
            assertThat(figure).contains("polyline").doesNotContain("NaN");
            DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(figure)));
            charts++;
        }
        assertThat(charts).isGreaterThanOrEqualTo(5);
    }

    @Test
    void saysWhatGrowsWhenRunWasLong() {
        assertThat(MarkdownReport.of(List.of(FIRST)))
                .contains("| what grows | broker: memory |")
                .contains("| broker: memory | MB | 75.0 | 45.0 | 100 | 32.0 | GROWS |")
                .contains("| broker: threads |  | 1.00 | 45.0 | 1.25 | 2.00 | steady |");
        assertThat(HtmlReport.of("One broker", List.of(FIRST)))
                .contains(
                        "<td>GROWS</td>",
                        "old generation of the heap, MB",
                        "threads by process",
                        "open files",
                        "counted");
    }

    @Test
    void isReadWhenOlderVersionWroteIt(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("result.json");
        ResultFile.of(List.of(FIRST)).write(file);
        ObjectNode tree = (ObjectNode) new ObjectMapper().readTree(Files.readString(file));
        ObjectNode run = (ObjectNode) tree.path("runs").path(0);
        run.remove("growth");
        run.putObject("slopes");
        ObjectNode measured = (ObjectNode) run.path("measured");
        measured.remove("sentMegabytes");
        measured.path("processes").forEach(process -> ((ObjectNode) process).remove("writtenMegabytes"));
        run.path("samples")
                .forEach(
                        sample -> ((ObjectNode) sample).remove(List.of("heapMegabytes", "threads", "files", "counts")));
        Files.writeString(file, tree.toString());
        RunResult read = ResultFile.read(file).runs().getFirst();
        assertThat(read.growth()).isEmpty();
        assertThat(read.measured().sentMegabytes()).isNull();
        assertThat(MarkdownReport.of(List.of(read)))
                .doesNotContain("bytes to disk a message out, all", "over the network");
        assertThat(read.samples().getFirst().megabytes()).containsEntry("broker", 120.0);
        assertThat(read.samples().getFirst().threads()).isEmpty();
    }

    @Test
    void writesOverLineWhenOnTerminal() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ProgressLine line =
                new ProgressLine(new PrintWriter(bytes, true, StandardCharsets.UTF_8), true, Map.of("measured", 10.0));
        line.accept(sample(0));
        line.accept(sample(5));
        line.finish();
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .contains("\r")
                .contains("[##########..........]")
                .containsOnlyOnce(System.lineSeparator());
    }

    @Test
    void saysHowMuchTimeIsLeftWhenStepsKnow() {
        Map<String, Double> lengths = new LinkedHashMap<>();
        lengths.put("connect", 0.0);
        lengths.put("measured", 3_600.0);
        lengths.put("hold", 120.0);
        lengths.put("drain", 0.0);
        assertThat(line(lengths, sample(10), sample(15)))
                .contains(" 10 s, 1:02:00 left  in", " 15 s, 1:01:55 left  in");
        lengths.put("measured", 8.0);
        lengths.remove("hold");
        assertThat(line(lengths, sample(10), sample(16))).contains(" 16 s, 0:02 left  in");
        assertThat(line(lengths, sample(10), sample(18))).contains(" 18 s  in");
    }

    private static String line(Map<String, Double> lengths, Sample... samples) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ProgressLine line = new ProgressLine(new PrintWriter(bytes, true, StandardCharsets.UTF_8), true, lengths);
        List.of(samples).forEach(line);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static Sample sample(double second) {
        return new Sample(
                second,
                "measured",
                100,
                200,
                4,
                Map.of("broker", 0.5),
                Map.of("broker", 120.0),
                Map.of("broker", 40.0),
                Map.of("broker", 30),
                Map.of("broker", 50),
                Map.of("keys in Redis", 7L));
    }

    private static RunResult result(String scenario, String broker, long received, List<String> refusals) {
        Histogram nanos = Snapshot.histogram();
        for (int i = 1; i <= 1_000; i++) {
            nanos.recordValue(i * 10_000L);
        }
        StepResult step = new StepResult(
                "measured",
                1,
                Map.of(Count.SENT, received, Count.RECEIVED, received),
                Map.of(Metric.END_TO_END, Distribution.of(nanos)),
                0.1,
                0.9,
                List.of(
                        new ProcessUse("broker", 0.2, 100, 120, 30, 50, 2.0, null, false),
                        new ProcessUse(RunResult.TOOL, 0.1, 80, 80, 10, 40, null, null, false)),
                0.1,
                0.3,
                0,
                4.0);
        StepResult warmUp = new StepResult("warm-up", 1, Map.of(), Map.of(), -1, -1, List.of(), 0, 0, 0, null);
        return new RunResult(
                scenario,
                "2026-01-01T00:00:00Z",
                "abc",
                1,
                0,
                new Machine("cpu", 2, 1_024, "Linux", "25"),
                new TargetFacts(broker, "1.0", Map.of("storage", "none")),
                Map.of(
                        "name",
                        scenario,
                        "steps",
                        List.of(Map.of("name", "warm-up"), Map.of("name", "measured", "measured", true)),
                        "source",
                        "a paper",
                        "same",
                        List.of("all"),
                        "parameters",
                        Map.of("pairs", 2),
                        "scale",
                        1),
                refusals,
                List.of(),
                step,
                Map.of(Count.SENT, received),
                0,
                null,
                0,
                List.of(),
                List.of(warmUp, step),
                List.of(sample(0), sample(1), sample(2)),
                List.of(
                        new Growth("broker: memory", "MB", 45, 75, 100, 32, 16),
                        new Growth("broker: threads", "", 45, 1, 1.25, 2, 2)));
    }

    /** The same with a longer warm-up. */
    private static RunResult late(RunResult run) {
        StepResult longer = new StepResult("warm-up", 10, Map.of(), Map.of(), -1, -1, List.of(), 0, 0, 0, null);
        return changed(run, 0, null, List.of(longer, run.steps().getLast()));
    }

    /** The same without ten messages, of which the broker has counted some as dropped. */
    private static RunResult losing(RunResult run, @Nullable Long dropped) {
        return changed(run, 10, dropped, run.steps());
    }

    private static RunResult changed(RunResult run, long lost, @Nullable Long dropped, List<StepResult> steps) {
        return new RunResult(
                run.label(),
                run.started(),
                run.commit(),
                run.runners(),
                run.clockErrorMillis(),
                run.machine(),
                run.target(),
                run.scenario(),
                run.refusals(),
                run.remarks(),
                run.measured(),
                run.total(),
                lost,
                dropped,
                lost == 0 ? 0 : 1,
                run.sourcesWithLoss(),
                steps,
                run.samples(),
                run.growth());
    }
}
