package io.tributary.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A cluster by the command: started, killed in part, stopped and started again, and what the command refuses. */
class ClusterCommandTest extends CommandOnADirectory {
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
}
