package io.tributary.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.cli.Program;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command as a caller sees it; in place of broker nodes there are scripts that say {@code ready} and wait. */
class ClusterCommandTest {
    private static final String NODE = "echo \"$@\"; echo ready; while :; do sleep 1; done";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path directory;

    private Path launcher;
    private int basePort;

    @BeforeEach
    void prepare() throws IOException {
        launcher = directory.resolve("launcher");
        setLauncher(NODE);
        do {
            basePort = Ports.free(1).getFirst();
        } while (!Ports.range(basePort, ClusterLayout.SPAN).stream().allMatch(Ports::isFree));
    }

    private void setLauncher(String script) throws IOException {
        Files.writeString(launcher, "#!/bin/sh\n" + script + "\n");
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
    }

    @AfterEach
    void endAll() {
        run("down");
    }

    @Test
    void startsKillsAndStopsWithoutNodes() throws IOException {
        int code = up("--nodes", "0");
        assertThat(code).as(errors()).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("kafka-1", "redis-3", "cluster down --dir");
        assertThat(states()).isEqualTo(states("running", "kafka-1", "redis-1", "redis-2", "redis-3"));

        expectDone("kill", "redis-2");
        assertThat(states()).containsEntry("redis-2", "stopped").containsEntry("redis-1", "running");
        assertThat(run("kill", "redis-2")).isOne();
        expectDone("start", "redis-2");
        assertThat(run("start", "redis-2")).isOne();
        expectDone("kill", "kafka-1");
        expectDone("start", "kafka-1");
        assertThat(states()).isEqualTo(states("running", "kafka-1", "redis-1", "redis-2", "redis-3"));

        assertThat(up()).isOne();
        assertThat(errors()).contains("runs already: kafka-1, redis-1");

        RedisCli redis = new RedisCli(null, null);
        redis.run(List.of("-c", "-p", Integer.toString(redisPort()), "SET", "k", "kept"));
        assertThat(run("down")).isZero();
        assertThat(states()).isEqualTo(states("stopped", "kafka-1", "redis-1", "redis-2", "redis-3"));

        // Without options: as it was.
        assertThat(run("up")).isZero();
        assertThat(redis.run(List.of("-c", "-p", Integer.toString(redisPort()), "GET", "k")))
                .isEqualToIgnoringNewLines("kept");
    }

    @Test
    void startsNodesWithWhereEverythingIs() throws IOException {
        int code = up("--nodes", "2");
        assertThat(code).as(errors()).isZero();
        assertThat(Files.readString(directory.resolve("n2.log")))
                .contains(
                        "run --tributary.data-dir=" + directory.resolve("n2") + " ",
                        "--tributary.mode=cluster",
                        "--tributary.node-name=n2",
                        "--tributary.listeners.tcp.port=" + (basePort + 1),
                        "--tributary.listeners.ws.port=" + (basePort + 11),
                        "--server.port=" + (basePort + 21),
                        "--tributary.cluster.link.port=" + (basePort + 31),
                        "--tributary.agent-check.port=" + (basePort + 81),
                        "--tributary.cluster.kafka.bootstrap-servers=127.0.0.1:" + (basePort + 40),
                        "--tributary.cluster.kafka.replication-factor=1",
                        "--tributary.cluster.redis.nodes=127.0.0.1:" + redisPort() + ",127.0.0.1:" + (redisPort() + 1),
                        "--tributary.cluster.link.secret-file=" + directory.resolve("link.secret"));
        assertThat(Files.getPosixFilePermissions(directory.resolve("link.secret")))
                .hasSize(2);
        assertThat(Files.readString(directory.resolve("link.secret"))).hasSize(64);

        expectDone("kill", "n1");
        expectDone("start", "n1");
        assertThat(states()).containsEntry("n1", "running").containsEntry("n2", "running");
    }

    @Test
    void saysWhichPartFailedAndLeavesNothingRunning() throws IOException {
        setLauncher("echo the node has no idea; exit 3");
        assertThat(up("--nodes", "1")).isOne();
        assertThat(errors()).contains("n1 ended while it started", "the node has no idea");
        assertThat(states()).isEqualTo(states("stopped", "kafka-1", "redis-1", "redis-2", "redis-3", "n1"));
    }

    @Test
    void refusesAPortThatIsTaken() throws IOException {
        try (ServerSocket taken = new ServerSocket(redisPort(), 1, InetAddress.getLoopbackAddress())) {
            assertThat(up("--nodes", "0")).isOne();
            assertThat(errors()).contains("port " + taken.getLocalPort() + ", for redis-1 (clients), is taken");
        }
    }

    @Test
    void harmsNobodyWhoHasAProcessIdentifierFromBefore() throws IOException {
        ClusterLayout layout = new ClusterLayout(0, 1, 3, 0, basePort);
        long own = ProcessHandle.current().pid();
        new ClusterFile(layout, Map.of("kafka-1", own, "redis-1", 1L, "redis-2", 0x7fff_fff0L)).write(directory);

        assertThat(states()).isEqualTo(states("stopped", "kafka-1", "redis-1", "redis-2", "redis-3"));
        assertThat(run("kill", "kafka-1")).isOne();
        assertThat(run("down")).isZero();
    }

    @Test
    void endsClusterOfEarlierVersionWhichDoesNotSayHowManyPrimaries() throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("cluster.json"), """
                {"layout": {"nodes": 0, "kafkaBrokers": 1, "redisReplicas": 0, "basePort": %d}, "pids": {}}
                """.formatted(basePort));
        assertThat(states()).isEqualTo(states("stopped", "kafka-1", "redis-1", "redis-2", "redis-3"));
        assertThat(run("down")).isZero();
    }

    @Test
    void hasAsManyPrimariesAsWanted() throws IOException {
        assertThat(up("--nodes", "0", "--redis-primaries", "5")).as(errors()).isZero();
        assertThat(states())
                .isEqualTo(states("running", "kafka-1", "redis-1", "redis-2", "redis-3", "redis-4", "redis-5"));
        assertThat(run("down")).isZero();
    }

    @Test
    void refusesToMixDataOfDifferentClusters() {
        new ClusterFile(new ClusterLayout(0, 1, 3, 0, basePort), Map.of()).write(directory);
        assertThat(up("--nodes", "0", "--redis-replicas", "1")).isOne();
        assertThat(errors()).contains("has the data of another cluster");
    }

    @Test
    void saysWhatIsWrongWithACommand() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("explode")).isEqualTo(2);
        assertThat(run("up", "--nodes", "many")).isEqualTo(2);
        assertThat(run("up", "--nodes")).isEqualTo(2);
        assertThat(run("up", "--kafka-brokers", "2")).isEqualTo(2);
        assertThat(run("up", "--redis-primaries", "2")).isEqualTo(2);
        assertThat(run("up", "--redis-primaries", "8", "--redis-replicas", "1")).isEqualTo(2);
        assertThat(errors()).contains("15 servers at most, not 16");
        assertThat(run("up", "--colour", "red")).isEqualTo(2);
        assertThat(run("status", "n1")).isEqualTo(2);
        assertThat(run("kill")).isEqualTo(2);
        assertThat(run("status", "--dir", directory.resolve("nowhere").toString()))
                .isOne();
        assertThat(errors())
                .contains(
                        "cluster needs one of ", "'many' is not a whole number", "--colour", "there is no cluster in");
        assertThat(directory.resolve("nowhere")).doesNotExist();
    }

    private int redisPort() {
        return basePort + 50;
    }

    private int up(String... options) {
        List<String> words = new ArrayList<>(List.of("up", "--base-port", Integer.toString(basePort)));
        words.addAll(Arrays.asList(options));
        return run(words.toArray(String[]::new));
    }

    private void expectDone(String... words) {
        int code = run(words);
        assertThat(code).as(errors()).isZero();
    }

    private int run(String... words) {
        CommandLine line = Program.commandLine(new ClusterCommand(() -> launcher, Lifetime.BOUND));
        line.setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
        List<String> all = new ArrayList<>(List.of(words));
        if (words.length > 0 && !all.contains("--dir")) {
            all.addAll(List.of("--dir", directory.toString()));
        }
        return line.execute(all.toArray(String[]::new));
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private Map<String, String> states() throws IOException {
        out.reset();
        assertThat(run("status", "--json")).isZero();
        Map<String, String> states = new TreeMap<>();
        JsonNode status = new ObjectMapper().readTree(out.toByteArray());
        assertThat(status.get("bootstrapServers").asText()).isEqualTo("127.0.0.1:" + (basePort + 40));
        for (JsonNode process : status.get("processes")) {
            boolean running = process.get("state").asText().equals("running");
            assertThat(process.get("pid").asLong() > 0).isEqualTo(running);
            states.put(process.get("name").asText(), process.get("state").asText());
        }
        return states;
    }

    private static Map<String, String> states(String state, String... names) {
        Map<String, String> states = new TreeMap<>();
        Arrays.stream(names).forEach(name -> states.put(name, state));
        return states;
    }
}
