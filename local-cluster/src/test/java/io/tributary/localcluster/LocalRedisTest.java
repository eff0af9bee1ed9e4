package io.tributary.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalRedisTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Keys whose slots are those of server 1, 2 and 3, as {@code --cluster create} deals them out. */
    private static final String[] KEYS = {"bar", "c", "foo"};

    @TempDir
    Path directory;

    @Test
    void spreadsKeysOverThreePrimaries() {
        try (LocalRedis redis = LocalRedis.in(directory).start()) {
            assertThat(redis.size()).isEqualTo(3);
            for (int i = 1; i <= 3; i++) {
                assertThat(redis.callCluster(1, "SET", KEYS[i - 1], "v" + i)).isEqualToIgnoringNewLines("OK");
                assertThat(redis.call(i, "GET", KEYS[i - 1])).isEqualToIgnoringNewLines("v" + i);
            }
            assertThat(redis.call(1, "CONFIG", "GET", "maxmemory-policy")).contains("noeviction");
        }
    }

    @Test
    void replacesAKilledPrimaryByItsReplica() {
        try (LocalRedis redis = LocalRedis.in(directory).replicas(1).start()) {
            redis.callCluster(1, "SET", KEYS[0], "v");
            Awaitility.await().atMost(LIMIT).until(() -> isReplicated(redis));

            redis.kill(1);

            Awaitility.await().atMost(LIMIT).until(() -> isReplaced(redis));
            Awaitility.await().atMost(LIMIT).until(() -> redis.isWhole(2));
            assertThat(redis.callCluster(2, "GET", KEYS[0])).isEqualToIgnoringNewLines("v");

            redis.restart(1);
            Awaitility.await().atMost(LIMIT).until(() -> redis.call(1, "ROLE").startsWith("slave"));
        }
    }

    @Test
    void comesBackWithAnOldSnapshotOrEmpty() {
        try (LocalRedis redis = LocalRedis.in(directory).start()) {
            redis.callCluster(1, "SET", KEYS[0], "old");
            Path snapshot = redis.snapshot(1);
            redis.callCluster(1, "SET", KEYS[0], "new");

            redis.kill(1);
            redis.restartWith(1, snapshot);
            assertThat(redis.callCluster(1, "GET", KEYS[0])).isEqualToIgnoringNewLines("old");

            redis.kill(1);
            redis.restartEmpty(1);
            assertThat(redis.callCluster(1, "GET", KEYS[0])).isEqualToIgnoringNewLines("");
        }
    }

    @Test
    void keepsDataOverAKillWhenItAppends() {
        try (LocalRedis redis = LocalRedis.in(directory).appendOnly(true).start()) {
            redis.callCluster(1, "SET", KEYS[1], "v");
            redis.kill(2);
            assertThatThrownBy(() -> redis.call(2, "PING")).isInstanceOf(LocalClusterException.class);
            redis.restart(2);
            assertThat(redis.callCluster(1, "GET", KEYS[1])).isEqualToIgnoringNewLines("v");
        }
    }

    @Test
    void lacksASlotWhilePaused() {
        try (LocalRedis redis = LocalRedis.in(directory).start()) {
            redis.pause(3);
            Awaitility.await().atMost(LIMIT).until(() -> !redis.isWhole(1));
            redis.resume(3);
            Awaitility.await().atMost(LIMIT).until(() -> redis.isWhole(1));
        }
    }

    @Test
    void letsOnlyItsUserIn() throws Exception {
        AdminUser user = new AdminUser("tributary", "a \"quoted\" word");
        try (LocalRedis redis = LocalRedis.in(directory).admin(user).replicas(1).start()) {
            assertThat(redis.callCluster(1, "SET", KEYS[2], "v")).isEqualToIgnoringNewLines("OK");
            assertThat(new RedisCli(null, null).call(redis.port(1), "GET", "a")).contains("NOAUTH");
            assertThat(Files.getPosixFilePermissions(directory.resolve("redis-1/redis.conf")))
                    .hasSize(2);
        }
    }

    /** The replica of the first primary has all that this has. WAIT would know of writes of its own connection only. */
    private static boolean isReplicated(LocalRedis redis) {
        String replication = redis.call(1, "INFO", "replication");
        Matcher own = Pattern.compile("master_repl_offset:(\\d+)").matcher(replication);
        return own.find() && replication.contains("state=online,offset=" + own.group(1) + ",");
    }

    /** One primary has failed, and there are three again. */
    private static boolean isReplaced(LocalRedis redis) {
        String nodes = redis.call(2, "CLUSTER", "NODES");
        return nodes.lines().anyMatch(node -> node.contains(" master,fail "))
                && nodes.lines()
                                .filter(node -> node.matches(".* (myself,)?master .*"))
                                .count()
                        == 3;
    }
}
