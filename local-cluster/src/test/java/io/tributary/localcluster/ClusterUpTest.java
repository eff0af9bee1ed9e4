package io.tributary.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** What {@code cluster up} starts, and that it leaves nothing running where a part fails. */
class ClusterUpTest extends CommandOnADirectory {
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
    void hasAsManyPrimariesAsWanted() throws IOException {
        assertThat(up("--nodes", "0", "--redis-primaries", "5")).as(errors()).isZero();
        assertThat(states())
                .isEqualTo(states("running", "kafka-1", "redis-1", "redis-2", "redis-3", "redis-4", "redis-5"));
        assertThat(run("down")).isZero();
    }

    @Test
    void leavesNoRedisRunningWhenKafkaFailsMeanwhile() throws IOException {
        Files.createFile(directory.resolve("kafka-1")); // in the place of its directory
        assertThat(up("--nodes", "0")).isOne();
        assertThat(errors()).contains("kafka-1 cannot be used");
        assertThat(states()).isEqualTo(states("stopped", "kafka-1", "redis-1", "redis-2", "redis-3"));
    }

    @Test
    void leavesNoKafkaRunningWhenRedisFailsMeanwhile() throws IOException {
        Files.createFile(directory.resolve("redis-1"));
        assertThat(up("--nodes", "0")).isOne();
        assertThat(errors()).contains("cannot be used", "redis-1");
        assertThat(states()).isEqualTo(states("stopped", "kafka-1", "redis-1", "redis-2", "redis-3"));
    }
}
