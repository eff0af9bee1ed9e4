package io.tributary.perf.report;

import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.ProcessUse;
import io.tributary.perf.result.ResultFile;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.StepResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The table of docs/performance.md is that of the results in {@code perf-tests/results}, files
 * {@code WORK.TARGET.json}.
 */
class ResultsInDocsTest {
    private static final Path RESULTS = Path.of("results");
    private static final Path DOC = Path.of("..", "docs", "performance.md");

    /** From this share on all has come that was to come: what is on its way at both ends of a step is no part of it. */
    private static final double ALL = 0.95;

    /** A column of the table. */
    private record Target(String name, String title) {}

    private static final List<Target> TARGETS = List.of(
            new Target("standalone", "Tributary standalone"),
            new Target("cluster", "Tributary cluster, one node"),
            new Target("mosquitto", "Mosquitto"),
            new Target("hivemq-ce", "HiveMQ CE"));

    /** Beside whom one work is shown. */
    private static final List<Target> PEERS = List.of(
            new Target("standalone", "Tributary standalone"),
            new Target("cluster", "Tributary cluster, one node"),
            new Target("mosquitto", "Mosquitto"),
            new Target("mochi", "Mochi"),
            new Target("nats", "NATS"),
            new Target("rabbitmq", "RabbitMQ"),
            new Target("hivemq-ce", "HiveMQ CE"));

    /** What was to be reached of a work, in us a message. */
    private record Goal(String work, String title, String reach) {}

    private static final List<Goal> GOALS = List.of(
            new Goal("p2p-qos0", "P2P QoS 0", "0.8"),
            new Goal("fan-out", "fan-out 1 to 500, QoS 0", "0.7"),
            new Goal("p2p-qos1", "P2P QoS 1, persistent but for the pass-through", "3.0"),
            new Goal("p2p-qos2", "P2P QoS 2, persistent but for the pass-through", "6"),
            new Goal("fan-in", "fan-in, shared subscription", "3.5"),
            new Goal("backlog", "offline sessions, published and drained", "5"),
            new Goal("latency-rate", "5,000 messages a second; p50 and p99", "40; 0.10 and 0.6 ms"));

    /** A line of the table. */
    private record Work(String name, String title, Function<List<RunResult>, String> cell) {}

    private static final List<Work> WORKS = List.of(
            new Work("p2p-qos1", "P2P QoS 1, persistent, 200 pairs", ResultsInDocsTest::cost),
            new Work("p2p-qos0", "P2P QoS 0, 200 pairs", ResultsInDocsTest::cost),
            new Work("p2p-qos2", "P2P QoS 2, persistent, 200 pairs", ResultsInDocsTest::cost),
            new Work(
                    "fan-in",
                    "fan-in of 500 to a shared subscription of 5, QoS 1, persistent",
                    ResultsInDocsTest::cost),
            new Work("fan-out", "fan-out 1 to 500, QoS 0", ResultsInDocsTest::cost),
            new Work("backlog", "500 offline sessions x 200 messages, published and drained", ResultsInDocsTest::cost),
            new Work("fan-in-device", "fan-in of 200 to a device's session, QoS 1", ResultsInDocsTest::cost),
            new Work("fan-in-application", "the same to an application", ResultsInDocsTest::cost),
            new Work(
                    "application-backlog",
                    "1,000,000 messages for an application that is away, published and drained",
                    ResultsInDocsTest::cost),
            new Work(
                    "latency-rate",
                    "latency at 5,000 messages a second, 1,000 persistent pairs, QoS 1",
                    ResultsInDocsTest::latency),
            new Work("latency-rate-one-loop", "the same, one event loop instead of two", ResultsInDocsTest::latency),
            new Work("latency-rate-8-shards", "the same, 8 shards instead of 24", ResultsInDocsTest::latency),
            new Work(
                    "connections",
                    "the sixth storm of 9,000 connections, and the memory of the first",
                    ResultsInDocsTest::connections));

    @Test
    void tableIsThatOfTheResults() throws IOException {
        GeneratedText.check(DOC, "results", table());
    }

    private static String table() throws IOException {
        List<RunResult> all = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("work"));
        TARGETS.forEach(target -> head.add(target.title()));
        List<List<String>> rows = new ArrayList<>();
        for (Work work : WORKS) {
            List<String> row = new ArrayList<>(List.of(work.title()));
            for (Target target : TARGETS) {
                List<RunResult> runs = runs(work.name() + "." + target.name());
                all.addAll(runs);
                row.add(runs.isEmpty() ? "" : work.cell().apply(runs));
            }
            rows.add(row);
        }
        return new Table(head, rows).markdown() + "\n" + setting(all) + "\n";
    }

    @Test
    void tableOfPeersIsThatOfTheResults() throws IOException {
        GeneratedText.check(DOC, "peers", peers());
    }

    private static String peers() throws IOException {
        List<RunResult> all = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        for (Target peer : PEERS) {
            List<RunResult> runs = runs("p2p-qos1." + peer.name());
            all.addAll(runs);
            RunResult median = median(runs, ResultsInDocsTest::micros);
            double written = median.measured().processes().stream()
                    .filter(process -> !process.isOfTool() && process.writtenMegabytes() != null)
                    .mapToDouble(ProcessUse::writtenMegabytes)
                    .sum();
            rows.add(List.of(
                    peer.title(),
                    cost(runs),
                    Format.number(endToEnd(median).p50()) + ", "
                            + Format.number(endToEnd(median).p99()),
                    Format.number(written * (1 << 20) / divisor(median)),
                    median.target().facts().getOrDefault("storage", "the log of Kafka, and Redis")));
        }
        List<String> head = List.of("broker", "a message", "p50, p99, ms", "bytes to disk a message", "what it keeps");
        return new Table(head, rows).markdown() + "\n" + setting(all) + "\n";
    }

    @Test
    void tableOfGoalsIsThatOfTheResults() throws IOException {
        GeneratedText.check(DOC, "goals", goals());
    }

    private static String goals() throws IOException {
        List<RunResult> all = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        for (Goal goal : GOALS) {
            List<String> row = new ArrayList<>(List.of(goal.title()));
            for (String target : List.of("pass-through", "standalone", "mosquitto")) {
                List<RunResult> runs = runs("goals/" + goal.work() + "." + target);
                all.addAll(runs);
                row.add(besideTool(runs, goal.work().equals("latency-rate")));
            }
            row.add(goal.reach());
            rows.add(row);
        }
        List<String> head = List.of("work", "pass-through", "Tributary", "Mosquitto", "was to be reached");
        return new Table(head, rows).markdown() + "\n" + setting(all) + "\n";
    }

    /** The cost of each run, and in brackets that of the load tool; these runs are too few for a median. */
    private static String besideTool(List<RunResult> runs, boolean withLatency) {
        return runs.stream().map(run -> besideTool(run, withLatency)).collect(Collectors.joining(", "));
    }

    private static String besideTool(RunResult run, boolean withLatency) {
        double tool = run.measured().processes().stream()
                .filter(ProcessUse::isOfTool)
                .mapToDouble(ProcessUse::cpuSeconds)
                .sum();
        String cost = Format.number(micros(run)) + " (" + Format.number(tool * 1e6 / divisor(run)) + ")"
                + (isRising(run) ? " rising" : "");
        return withLatency
                ? cost + "; " + Format.number(endToEnd(run).p50()) + " and "
                        + Format.number(endToEnd(run).p99()) + " ms"
                : cost;
    }

    /** The runs of a file of results, none where there is no such file. */
    static List<RunResult> runs(String name) throws IOException {
        Path file = RESULTS.resolve(name + ".json");
        return Files.exists(file) ? ResultFile.read(file).runs() : List.of();
    }

    /** When, of what and where. */
    static String setting(List<RunResult> runs) {
        TreeSet<String> machines = new TreeSet<>();
        TreeSet<String> days = new TreeSet<>();
        TreeSet<String> commits = new TreeSet<>();
        TreeSet<String> versions = new TreeSet<>();
        runs.forEach(run -> {
            days.add(run.started().substring(0, run.started().indexOf('T')));
            commits.add(run.commit());
            versions.add(Format.product(run.target()));
            machines.add(String.format(
                    Locale.ROOT,
                    "%s, %d cores, %s",
                    run.machine().processor(),
                    run.machine().cores(),
                    run.machine().system()));
        });
        return String.format(
                Locale.ROOT,
                "%s; commit %s; %s; %s.%n",
                String.join(", ", days),
                String.join(", ", commits),
                String.join("; ", versions),
                String.join("; ", machines));
    }

    private static String cost(List<RunResult> runs) {
        RunResult median = median(runs, ResultsInDocsTest::micros);
        String lost = median.lost() == 0 ? "" : String.format(Locale.ROOT, ", **%,d lost**", median.lost());
        long duplicates = median.measured().count(Count.DUPLICATE);
        String twice = duplicates == 0 ? "" : String.format(Locale.ROOT, ", **%,d of them twice**", duplicates);
        return Format.number(micros(median)) + " us" + range(runs) + cameOut(median) + ", "
                + Format.number(median.measured().perSecond(Count.RECEIVED)) + "/s" + rising(runs) + lost + twice;
    }

    static double micros(RunResult run) {
        return run.targetCpuSeconds() * 1e6 / divisor(run);
    }

    /** What came out or, where a part of what was to come did not, what was to come: the rest was work, too. */
    private static long divisor(RunResult run) {
        return run.measured().count(isShort(run) ? Count.EXPECTED : Count.RECEIVED);
    }

    private static boolean isShort(RunResult run) {
        StepResult measured = run.measured();
        return measured.count(Count.RECEIVED) < ALL * measured.count(Count.EXPECTED);
    }

    private static String cameOut(RunResult run) {
        double share =
                (double) run.measured().count(Count.RECEIVED) / run.measured().count(Count.EXPECTED);
        return isShort(run)
                ? String.format(Locale.ROOT, " **for each that was to come, %.0f %% did**", 100 * share)
                : "";
    }

    private static String rising(List<RunResult> runs) {
        long rising = runs.stream().filter(ResultsInDocsTest::isRising).count();
        return rising == 0 ? "" : runs.size() == 1 ? " (rising)" : " (" + rising + " of " + runs.size() + " rising)";
    }

    private static boolean isRising(RunResult run) {
        return run.remarks().stream().anyMatch(remark -> remark.startsWith("The rate has not levelled off"));
    }

    private static String range(List<RunResult> runs) {
        if (runs.size() == 1) {
            return "";
        }
        double least =
                runs.stream().mapToDouble(ResultsInDocsTest::micros).min().orElseThrow();
        double most = runs.stream().mapToDouble(ResultsInDocsTest::micros).max().orElseThrow();
        return " (" + Format.number(least) + " to " + Format.number(most) + ")";
    }

    private static String latency(List<RunResult> runs) {
        RunResult median = median(runs, run -> endToEnd(run).p50());
        double percent = 100 * median.targetCpuSeconds() / median.measured().seconds();
        return "p50 " + Format.number(endToEnd(median).p50()) + " ms, p99 "
                + Format.number(endToEnd(median).p99()) + " ms, " + Format.number(percent) + " % CPU";
    }

    private static Distribution endToEnd(RunResult run) {
        return Objects.requireNonNull(run.measured().times().get(Metric.END_TO_END));
    }

    private static String connections(List<RunResult> runs) {
        RunResult run = runs.getFirst();
        StepResult storm = step(run, "storm");
        double cpu = storm.processes().stream()
                .filter(process -> !process.isOfTool())
                .mapToDouble(ProcessUse::cpuSeconds)
                .sum();
        StepResult first = run.steps().getFirst();
        double grown = broker(first).rssEndMegabytes() - broker(first).rssBeginMegabytes();
        return Format.number(storm.perSecond(Count.CONNECTED)) + "/s, "
                + Format.number(cpu * 1e6 / storm.count(Count.CONNECTED)) + " us each, "
                + Format.number(grown * 1024 / storm.count(Count.CONNECTED)) + " kB each";
    }

    private static StepResult step(RunResult run, String name) {
        return run.steps().stream()
                .filter(step -> step.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static ProcessUse broker(StepResult step) {
        return step.processes().stream()
                .filter(process -> !process.name().startsWith(RunResult.TOOL))
                .findFirst()
                .orElseThrow();
    }

    private static RunResult median(List<RunResult> runs, ToDoubleFunction<RunResult> by) {
        return runs.stream().sorted(Comparator.comparingDouble(by)).toList().get(runs.size() / 2);
    }
}
