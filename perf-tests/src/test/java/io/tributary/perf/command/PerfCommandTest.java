package io.tributary.perf.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.cli.Program;
import io.tributary.perf.judge.Count;
import io.tributary.perf.result.ProcessUse;
import io.tributary.perf.result.ResultFile;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.target.Targets;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class PerfCommandTest {
    private static final int TRIES = 4;

    private static final List<String> SMALL =
            List.of("--set", "pairs=3", "--set", "warmup=200ms", "--set", "duration=300ms", "--set", "limits.stall=5s");

    @TempDir
    static Path data;

    @TempDir
    Path results;

    private static Broker broker;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeAll
    static void start() {
        broker = Broker.start(BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .build());
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void writesReportsWhenRunIsValid() throws Exception {
        assertThat(run("run", "p2p", List.of())).as(said()).isZero();
        RunResult result =
                ResultFile.read(results.resolve("result.json")).runs().getFirst();
        assertThat(result.count(Count.FIRST)).isPositive().isEqualTo(result.count(Count.SENT));
        assertThat(result.commit()).isEqualTo("unknown");
        assertThat(results.resolve("report.html")).content().contains("<svg");
        assertThat(results.resolve("report.md")).content().contains("all delivered");
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("published in the run | 0 |", "published in measured steps | 0 |");
    }

    @Test
    void printsTheResultWhenOutputIsStandardOutput() throws Exception {
        assertThat(run("run", "p2p", List.of("--out", "-"))).as(said()).isZero();
        String said = out.toString(StandardCharsets.UTF_8);
        assertThat(said).contains("published in the run | 0 |", "published in measured steps | 0 |");
        Path file = Files.writeString(
                results.resolve("line.json"),
                said.lines().filter(line -> line.startsWith("{")).collect(Collectors.joining("\n")));
        assertThat(ResultFile.read(file).runs()).hasSize(1);
        assertThat(Path.of("-")).doesNotExist();
    }

    @Test
    void putsRunsSideBySideWhenCompared() throws Exception {
        assertThat(run("run", "p2p", List.of())).isZero();
        Path both = results.resolve("both");
        String file = results.resolve("result.json").toString();
        assertThat(command("compare", file, results.toString(), "--out", both.toString()))
                .isZero();
        assertThat(both.resolve("report.html")).content().contains("<svg");
        assertThat(Files.readAllLines(both.resolve("report.md")).getFirst().split("p2p on", -1))
                .hasSize(3);
    }

    @Test
    void saysSoWhenRunsOfDifferentScenariosAreCompared() throws Exception {
        assertThat(run("run", "p2p", List.of())).isZero();
        Path result = results.resolve("result.json");
        Path other = results.resolve("other.json");
        Files.writeString(other, Files.readString(result).replace("\"name\" : \"p2p\"", "\"name\" : \"fan-in\""));
        String out = results.resolve("both").toString();
        assertThat(command("compare", result.toString(), result.toString(), "--out", out))
                .isZero();
        assertThat(said()).doesNotContain("different scenarios");
        assertThat(command("compare", result.toString(), other.toString(), "--out", out))
                .isZero();
        assertThat(said()).contains("runs of different scenarios (p2p, fan-in)");
    }

    @Test
    void givesNoResultWhenToolWasBottleneck() {
        List<String> impossible = List.of(
                "--set",
                "limits.send-delay=0s",
                "--set",
                "groups.publishers.publish.window=0",
                "--set",
                "groups.publishers.publish.rate=50");
        assertThat(run("run", "p2p", impossible)).isEqualTo(3);
        assertThat(said()).contains("no result: ").contains("by its own fault");
        assertThat(results.resolve("result.json")).doesNotExist();
    }

    @Test
    void marksResultWhenBottleneckIsAccepted() throws Exception {
        List<String> impossible = List.of(
                "--accept-bottleneck",
                "--set",
                "limits.send-delay=0s",
                "--set",
                "groups.publishers.publish.window=0",
                "--set",
                "groups.publishers.publish.rate=50");
        assertThat(run("run", "p2p", impossible)).isZero();
        assertThat(results.resolve("report.md")).content().contains("NOT VALID");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "run                     | Missing required parameter: 'SCENARIO'",
                "run nothing             | there is no scenario 'nothing'",
                "run p2p --speed 3       | Unknown options: '--speed', '3'",
                "run p2p --set pairs     | option '--set'",
                "run p2p --scale big     | 'big' is not a double",
                "run p2p --set x.y=3     | there is no 'x'",
                "run p2p --set pairs=ten | --set pairs: 'ten' is not a number; unless told, p2p has 200",
                "run p2p --set persistent=4 | --set persistent: '4' is not true or false; unless told, p2p has true",
                "run p2p --set foo=1     | --set foo: p2p has no such parameter; it has pairs, qos, payload, window",
                "run load-balancing --target haproxy:hybrid:3 | this run has policy=round-robin; write '${policy}'",
                "run load-balancing --target nginx:${polcy}:3 | --target nginx:${polcy}:3: ${polcy}: there is no such",
                "paper table-9           | there is no published table 'table-9'; one of stresser-all",
                "paper psmark-table-4    | made of the runs of psmark-table-3: perf paper psmark-table-3",
                "paper stresser-all --row x9 | no row of stresser-all has x9 in its name; there are: 1 base",
                "paper stresser-all --repeat 0 | --repeat needs a number of 1 or more, not 0",
                "find-rate p2p           | --parameter rate: p2p has no number of that name; it has {pairs=200",
                "find-rate p2p-rate --latency soon | 'soon' is not a time such as 500ms",
                "find-rate p2p-rate      | p2p-rate makes 5 runs; set what varies: [pairs]",
                "measure                 | 'measure'",
                "compare                 | Missing required parameter",
                "compare ../pom.xml      | is no result of perf run",
                "runner                  | Missing required options",
            })
    void saysWhatItWantsWhenCalledWrongly(String words, String message) {
        assertThat(command(words.split(" ", -1))).isEqualTo(2);
        assertThat(said()).contains(message);
    }

    /** Each subscriber gets the messages of all publishers, those of other brokers over the bridges, and each once. */
    @ParameterizedTest
    @CsvSource({"hybrid, 2", "least-response-time, 0", "round-robin, 1"})
    void losesNothingAndRepeatsNothingWhenBridgedMosquittoAreBalanced(String policy, int qos) throws Exception {
        assumeTrue(isInstalled("haproxy") && isInstalled("mosquitto"), "haproxy and mosquitto are not installed");
        List<String> words = new ArrayList<>(List.of("run", "load-balancing", "--target"));
        words.add("haproxy:${policy}:3:mosquitto");
        for (String setting : List.of(
                "policy=" + policy,
                "qos=" + qos,
                "pairs=9",
                "groups.subscribers.subscribe.0.filter=balanced/#",
                "rate=10",
                "warmup=2s",
                "duration=2s",
                "limits.stall=5s")) {
            words.addAll(List.of("--set", setting));
        }
        words.addAll(List.of("--out", results.toString()));
        assertThat(command(words.toArray(String[]::new))).as(said()).isZero();
        RunResult result =
                ResultFile.read(results.resolve("result.json")).runs().getFirst();
        assertThat(result.measured().count(Count.RECEIVED)).isPositive();
        assertThat(result.count(Count.DUPLICATE)).isZero();
        assertThat(result.measured().processes()).extracting(ProcessUse::name).contains("n1", "n2", "n3", "proxy");
        assertThat(result.target().facts()).containsKey("bridges").containsEntry("balancing", policy);
    }

    private static boolean isInstalled(String program) {
        return Stream.of("/usr/sbin", "/usr/bin", "/usr/local/sbin")
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    @Test
    void namesChoicesWhenTargetIsUnknown() {
        assertThat(command("run", "p2p", "--target", "emqx")).isEqualTo(1);
        assertThat(said()).contains("standalone, cluster, mosquitto");
    }

    @Test
    void namesChoicesOfTargetsInTheHelp() {
        assertThat(command("run", "-h")).isZero();
        assertThat(withoutSpaces(out.toString(StandardCharsets.UTF_8)))
                .contains(withoutSpaces(Targets.choices()))
                .contains("pass-through");
    }

    /** The lines of the help are broken. */
    private static String withoutSpaces(String text) {
        return text.replaceAll("\\s", "");
    }

    @Tag("long")
    @Test
    void setsOursBesideWhatWasPublishedWhenTableIsRepeated() throws Exception {
        List<String> words = List.of("paper", "stresser-all", "--row", "1 base", "--row", "6 16 bytes", "--results");
        String pid = "broker=" + ProcessHandle.current().pid();
        assertThat(paper(words, "--repeat", "2", "--pid", pid)).as(said()).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("Table 2: Eleven scenarios of mqtt-stresser")
                .contains("| 1 base | \"latency\", ms: 1 / messages a second of a client | 0.574052813 | 0.45620438 |")
                .contains("|  | delivered, % | 100 | 100 | 100 | 100 |  |"); // no ratio: nobody knows what it is
        Path file;
        try (Stream<Path> files = Files.list(results)) {
            file = files.findFirst().orElseThrow();
        }
        assertThat(ResultFile.read(file).runs())
                .hasSize(4)
                .allSatisfy(run -> assertThat(run.knowsTarget()).isTrue());
        // A row alone is put in place of itself, as many runs as there were; what was there of others stays.
        List<String> one = List.of("paper", "stresser-all", "--row", "1 base", "--results");
        assertThat(paper(one)).isZero();
        assertThat(ResultFile.read(file).runs()).hasSize(4);
        assertThat(paper(one, "--repeat", "1")).isZero();
        assertThat(ResultFile.read(file).runs())
                .extracting(RunResult::label)
                .containsExactly(
                        "stresser form=fast row=1 base",
                        "stresser form=fast row=6 16 bytes",
                        "stresser form=fast row=6 16 bytes");
    }

    @Test
    void findsHighestRateThatHoldsWhenRateIsRaised() throws Exception {
        List<String> words = new ArrayList<>(List.of("find-rate", "p2p-rate", "--scale", "1", "--steps", "0"));
        words.addAll(List.of("--set", "pairs=2", "--set", "warmup=100ms", "--set", "duration=500ms"));
        // An interval of the load tool that is longer than its run is its own fault: it ends the search.
        words.addAll(List.of("--set", "rate=20", "--set", "limits.send-delay=10s", "--set", "connect.rate=1000"));
        words.addAll(List.of("--latency", "1us", "--out", results.toString(), "--target"));
        words.add("127.0.0.1:" + broker.listeners().getFirst().address().getPort());
        assertThat(command(words.toArray(String[]::new))).isOne();
        assertThat(said()).contains("rate=20: ").contains("does not hold: the latency is above the limit");
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("None holds, not even rate=20");
        assertThat(ResultFile.read(results.resolve("result.json")).runs()).hasSize(1);
    }

    @Test
    void listsTablesWithTheirLengthWhenNoneIsNamed() {
        assertThat(command("paper")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("stresser-all ")
                .contains("11 runs: as published, about ")
                .contains("of the runs of psmark-table-3");
    }

    /** Again where the load tool was the bottleneck: it is in one process with the broker and all other tests. */
    private int paper(List<String> words, String... more) {
        List<String> all = new ArrayList<>(words);
        all.add(results.toString());
        all.add("--target");
        all.add("127.0.0.1:" + broker.listeners().getFirst().address().getPort());
        all.addAll(List.of(more));
        int code = command(all.toArray(String[]::new));
        for (int i = 1; i < TRIES && code == ExitCodes.BOTTLENECK; i++) {
            code = command(all.toArray(String[]::new));
        }
        return code;
    }

    @Test
    void listsScenariosWithParametersWhenAsked() {
        assertThat(command("list")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("p2p").contains("pairs=200");
    }

    private int run(String verb, String scenario, List<String> more) {
        List<String> words = new ArrayList<>(List.of(verb, scenario));
        if (!more.contains("--out")) {
            words.addAll(List.of("--out", results.toString()));
        }
        words.add("--target");
        words.add("127.0.0.1:" + broker.listeners().getFirst().address().getPort());
        words.add("--pid");
        words.add("broker=" + ProcessHandle.current().pid());
        words.addAll(SMALL);
        words.addAll(more);
        return command(words.toArray(String[]::new));
    }

    private int command(String... words) {
        CommandLine line = Program.commandLine(new PerfCommand());
        line.setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
        return line.execute(words);
    }

    private String said() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
