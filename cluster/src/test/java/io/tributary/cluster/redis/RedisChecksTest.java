package io.tributary.cluster.redis;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static java.util.concurrent.CompletableFuture.supplyAsync;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.tributary.common.event.RecordFormat;
import io.tributary.localcluster.AdminUser;
import io.tributary.localcluster.LocalRedis;
import io.tributary.persistence.shard.ShardStore;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisChecksTest {
    private static final RedisConfig.Node NODE = new RedisConfig.Node("redis", 6379);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void soundClusterHasNoProblemsAndOthersAreTold() throws IOException {
        try (LocalRedis redis = LocalRedis.in(folder).start();
                Socket held = new Socket()) {
            RedisConfig config = TestRedis.config(redis);
            assertThat(RedisChecks.problems(config, 4)).isEmpty();

            held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)); // so that nobody else takes the port
            RedisConfig.Node closed = TestRedis.node(held.getLocalPort());
            assertThat(RedisChecks.problems(RedisConfig.of(List.of(closed, TestRedis.node(redis.port(1)))), 4))
                    .isEmpty();
            assertThat(RedisChecks.problems(RedisConfig.of(List.of(closed)), 4))
                    .singleElement()
                    .asString()
                    .startsWith("Redis at " + closed + " cannot be reached (")
                    .endsWith("). Start it, or correct nodes or tls.");

            redis.call(2, "CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
            redis.call(1, "CLUSTER", "DELSLOTS", "7", "8");
            assertThat(get(supplyAsync(
                            () -> RedisChecks.problems(config, 0, 4, Duration.ofHours(1), new CompletableFuture<>()))))
                    .as("with settings that are wrong nothing is waited for")
                    .containsExactly(
                            "2 of the Redis Cluster's 16384 slots are served by no primary, the first is 7; all are needed."
                                    + " Bring the failed primaries back, or run redis-cli --cluster fix.",
                            "Redis at 127.0.0.1:" + redis.port(2)
                                    + " has maxmemory-policy allkeys-lru, which deletes messages when memory is short;"
                                    + " noeviction is needed. Set it on every node, in redis.conf or with the service's"
                                    + " parameters.");
        }
    }

    /** After a power failure all servers start at the same time. */
    @Test
    void serversThatComeUpLaterAreWaitedFor() throws IOException {
        try (LocalRedis redis = LocalRedis.in(folder).start()) {
            redis.stop();
            CompletableFuture<List<String>> problems;
            try (ServerSocket first = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                RedisConfig config =
                        RedisConfig.of(List.of(TestRedis.node(first.getLocalPort()), TestRedis.node(redis.port(1))));
                problems = supplyAsync(
                        () -> RedisChecks.problems(config, 0, 4, Duration.ofHours(1), new CompletableFuture<>()));
                first.accept().close(); // it was asked, and now the servers are
            }
            redis.restartAll();
            assertThat(get(problems)).isEmpty();
        }
    }

    /** A proxy without a server behind it may take connections and end them. */
    @Test
    void serversThatEndHandshakesOfTlsAreWaitedForUntilThatIsGivenUp() throws IOException {
        CompletableFuture<Void> givenUp = new CompletableFuture<>();
        try (ServerSocket proxy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            proxy.setSoTimeout(30_000);
            RedisConfig config = RedisConfig.of(List.of(TestRedis.node(proxy.getLocalPort())))
                    .withTls(new RedisConfig.Tls(null, false));
            CompletableFuture<List<String>> problems =
                    supplyAsync(() -> RedisChecks.problems(config, 0, 4, Duration.ofHours(1), givenUp));
            endHandshake(proxy);
            endHandshake(proxy); // it was asked again
            givenUp.completeExceptionally(new IllegalStateException("the node is stopped"));
            assertThat(get(problems)).singleElement().asString().contains(" cannot be reached (");
        }
    }

    private static void endHandshake(ServerSocket proxy) throws IOException {
        try (Socket socket = proxy.accept()) {
            assertThat(socket.getInputStream().read()).isPositive();
            socket.setSoLinger(true, 0); // with a reset
        }
    }

    @Test
    void rightsAndSettingsAreNotWaitedFor() {
        assertThat(RedisAccessFailure.mayPass(refused("LOADING Redis is loading the dataset in memory")))
                .isTrue();
        assertThat(RedisAccessFailure.mayPass(refused("CLUSTERDOWN The cluster is down")))
                .isTrue();
        assertThat(RedisAccessFailure.mayPass(new RedisConnectionException("no", new ConnectException("refused"))))
                .isTrue();
        assertThat(RedisAccessFailure.mayPass(
                        new RedisConnectionException("no", new SslHandshakeTimeoutException("no answer"))))
                .isTrue();
        assertThat(RedisAccessFailure.mayPass(refused("NOPERM User has no permissions")))
                .isFalse();
        assertThat(RedisAccessFailure.mayPass(refused("WRONGPASS invalid username-password pair")))
                .isFalse();
        assertThat(RedisAccessFailure.mayPass(new RedisConnectionException("no", new SSLException("no record"))))
                .isFalse();
    }

    private static RedisException refused(String answer) {
        return new RedisConnectionException("no connection", new RedisCommandExecutionException(answer));
    }

    @Test
    void stateInAnotherLayoutIsTold() {
        try (LocalRedis redis = LocalRedis.in(folder).start()) {
            String position = "tributary:{" + SlotTags.of(4).getFirst() + "}:shard";
            redis.callCluster(1, "HSET", position, "epoch", "3", "applied", "7");
            assertThat(RedisChecks.problems(TestRedis.config(redis), 4))
                    .singleElement()
                    .asString()
                    .endsWith(
                            " has the state of sessions in layout 1; this version has layout 2 and converts none. Start"
                                    + " the version that wrote it, or give this one an empty Redis and an empty Kafka.");
            redis.callCluster(1, "HSET", position, "layout", "2");
            assertThat(RedisChecks.problems(TestRedis.config(redis), 4)).isEmpty();
        }
    }

    @Test
    void failedPrimaryIsToldByItsSlots() {
        try (LocalRedis redis = LocalRedis.in(folder).start()) {
            redis.kill(3);
            until(() -> redis.call(1, "CLUSTER", "NODES").contains("master,fail "));
            assertThat(RedisChecks.problems(TestRedis.config(redis), 4))
                    .anyMatch(problem -> problem.startsWith("5461 of the Redis Cluster's 16384 slots are served by no"))
                    .anyMatch(problem -> problem.contains(":" + redis.port(3) + " cannot be reached"));
        }
    }

    @Test
    void onlyTheRightUserGetsIn() {
        AdminUser user = new AdminUser("owner", "wonderful");
        try (LocalRedis redis = LocalRedis.in(folder).admin(user).start()) {
            RedisConfig config = TestRedis.config(redis);
            String address = "127.0.0.1:" + redis.port(1);
            assertThat(RedisChecks.problems(config, 4))
                    .first()
                    .asString()
                    .startsWith("Redis at " + address + " refuses a broker without user and password (NOAUTH")
                    .endsWith("Correct username and password-file.");
            assertThat(RedisChecks.problems(config.withCredentials(new RedisConfig.Credentials("owner", "wrong")), 4))
                    .first()
                    .asString()
                    .startsWith("Redis at " + address + " refuses user owner (WRONGPASS")
                    .doesNotContain("wrong)");
            assertThat(RedisChecks.problems(
                            config.withCredentials(new RedisConfig.Credentials("owner", "wonderful")), 4))
                    .isEmpty();

            for (int i = 1; i <= redis.size(); i++) {
                redis.call(i, "ACL", "SETUSER", "broker", "on", ">enough", "~tributary:*");
            }
            RedisConfig broker = config.withCredentials(new RedisConfig.Credentials("broker", "enough"));
            assertThat(RedisChecks.problems(broker, 4))
                    .first()
                    .asString()
                    .contains("NOPERM")
                    .contains("Grant it, on each node, " + RedisAccessFailure.PERMISSIONS);
            grant(redis);
            assertThat(RedisChecks.problems(broker, 4)).isEmpty();
            useStore(broker);
        }
    }

    @Test
    void serverWithoutClusterModeIsRefused() {
        assertThat(RedisChecks.modeProblems(NODE, new RedisInfo(Map.of("redis_mode", "standalone"))))
                .containsExactly(
                        "Redis at redis:6379 runs in mode standalone; a Redis Cluster is needed. Set cluster-enabled yes and"
                                + " create a cluster, or name the nodes of one.");
        assertThat(RedisChecks.modeProblems(NODE, new RedisInfo(Map.of("redis_mode", "cluster"))))
                .isEmpty();
    }

    @Test
    void oldVersionsAreRefusedAndValkeyIsAccepted() {
        assertThat(versionProblems("redis_version:6.2.14\r\nmaxmemory_policy:noeviction\r\n"))
                .containsExactly(
                        "Redis at redis:6379 is version 6.2.14; 7.0 or newer, or Valkey, is needed. Upgrade it.");
        assertThat(versionProblems("redis_version:7.0.15\r\nmaxmemory_policy:noeviction\r\n"))
                .isEmpty();
        assertThat(versionProblems("redis_version:10.1\r\nmaxmemory_policy:noeviction\r\n"))
                .isEmpty();
        assertThat(versionProblems("redis_version:6.2\r\nvalkey_version:8.0\r\nmaxmemory_policy:noeviction\r\n"))
                .isEmpty();
        assertThat(versionProblems("redis_version:new\r\n"))
                .hasSize(2)
                .last()
                .asString()
                .contains("maxmemory-policy unknown");
    }

    private static List<String> versionProblems(String info) {
        return RedisChecks.primaryProblems(NODE, RedisInfo.parse(info));
    }

    private static void grant(LocalRedis redis) {
        String[] permissions = RedisAccessFailure.PERMISSIONS.split(" ", -1);
        for (int i = 1; i <= redis.size(); i++) {
            for (String permission : permissions) {
                redis.call(i, "ACL", "SETUSER", "broker", permission);
            }
        }
    }

    /** Whether what we ask for is enough for the scripts, too. */
    private static void useStore(RedisConfig config) {
        try (RedisCluster cluster = RedisCluster.connect(config);
                ShardStore store = new RedisShardStore(cluster, 4, RecordFormat.alone(), RedisRecorder.NONE)) {
            Workload.useEverything(store, 1);
        }
    }
}
