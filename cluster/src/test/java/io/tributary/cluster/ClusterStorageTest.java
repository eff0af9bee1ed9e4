package io.tributary.cluster;

import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.BrokerStartException;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.cluster.kafka.TopicNeeds;
import io.tributary.cluster.link.ClusterSecret;
import io.tributary.cluster.link.CuttableProxy;
import io.tributary.cluster.link.LinkConfig;
import io.tributary.cluster.metrics.ClusterMetrics;
import io.tributary.cluster.redis.RedisConfig;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.localcluster.LocalKafka;
import io.tributary.localcluster.LocalRedis;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.replicated.Visibility;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterStorageTest {
    private static final int LARGE = 3 << 20;
    private static final AppTopic BEFORE = new AppTopic("before", false);
    private static final AppTopic AFTER = new AppTopic("after", false);

    private final KafkaConfig kafka = TestKafka.config();
    private final AtomicInteger broken = new AtomicInteger();

    /** A shard's log may have it for an application: the owner could not forward it, and would try so for ever. */
    @Test
    void largeMessageGoesToAnApplicationWhenSmallerPacketsAreAllowedThanBefore(@TempDir Path folder) {
        try (LocalRedis redis = LocalRedis.in(folder).start()) {
            try (ClusterStorage storage = open(redis, 4 << 20)) {
                get(storage.topics().create(BEFORE));
            }
            try (ClusterStorage storage = open(redis, 1 << 20)) {
                get(storage.topics().create(AFTER));
                assertThat(append(storage.topics(), BEFORE)).isZero();
                assertThat(append(storage.topics(), AFTER)).isZero();
            }
        }
        assertThat(broken).hasValue(0);
    }

    /** A client sends it through a node that has the larger limit already, and this one owns the client's shard. */
    @Test
    void largeMessageIsForwardedWhenAnotherNodeAllowsLargerPackets(@TempDir Path folder) {
        try (LocalRedis redis = LocalRedis.in(folder).start();
                ClusterStorage before = open(redis, 1 << 20);
                ClusterStorage _ = open(redis, 4 << 20)) {
            get(before.topics().create(BEFORE));
            assertThat(append(before.topics(), BEFORE)).as("to an application").isZero();
            CompletableFuture<@Nullable Throwable> logged = new CompletableFuture<>();
            before.log().append(0, new byte[LARGE], (_, failure) -> logged.complete(failure));
            assertThat(get(logged)).as("to another shard").isNull();
        }
        assertThat(broken).hasValue(0);
    }

    /** A will that came when larger packets were allowed; it is published all the same. */
    @Test
    void largeRetainedMessageFailsAloneWhenSmallerPacketsAreAllowedThanBefore(@TempDir Path folder) {
        try (LocalRedis redis = LocalRedis.in(folder).start()) {
            open(redis, 4 << 20).close();
            try (ClusterStorage storage = open(redis, 1 << 20)) {
                assertFails(storage.retained().put("large", new byte[LARGE]), KafkaAccessException.class);
                assertThat(get(storage.retained().put("small", new byte[1]))).isNull();
            }
        }
        assertThat(broken).hasValue(0);
    }

    /** Of a node that is closed while it begins anew. */
    @Test
    void kafkaIsWaitedForUntilTheStartIsGivenUp() throws IOException {
        CompletableFuture<Void> givenUp = new CompletableFuture<>();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            silent.setSoTimeout(30_000);
            ClusterConfig cluster = cluster(
                    KafkaConfig.defaults("127.0.0.1:" + silent.getLocalPort()).withStartTimeout(Duration.ofHours(1)),
                    List.of(1));
            StartPatience patience = StartPatience.begin(Duration.ofHours(1), givenUp);
            CompletableFuture<ClusterStorage> opened =
                    CompletableFuture.supplyAsync(() -> open(cluster, 1 << 20, patience));
            try (Socket _ = silent.accept()) { // it is asked
                givenUp.completeExceptionally(new IllegalStateException("the node is stopped"));
                assertFails(opened, BrokerStartException.class);
            }
        }
    }

    /** Kafka falls silent when it has told of its topics, while Redis is asked. */
    @Test
    void silentKafkaIsNotWaitedForWhenTheStartIsGivenUpWhileItConnects(@TempDir Path folder) throws IOException {
        CompletableFuture<Void> givenUp = new CompletableFuture<>();
        int port = LocalKafka.shared().ports().getFirst();
        try (LocalRedis redis = LocalRedis.in(folder).start();
                CuttableProxy toKafka = proxy(port);
                CuttableProxy toRedis = proxy(redis.ports().getFirst())) {
            toKafka.rename(Map.of(port, toKafka.address().getPort()));
            toRedis.stall();
            ClusterConfig cluster = cluster(
                    KafkaConfig.defaults("127.0.0.1:" + toKafka.address().getPort())
                            .withTopicPrefix(kafka.topicPrefix())
                            .withReplicationFactor(1)
                            .withStartTimeout(Duration.ofHours(1)),
                    List.of(toRedis.address().getPort()));
            StartPatience patience = StartPatience.begin(Duration.ofHours(1), givenUp);
            CompletableFuture<ClusterStorage> opened =
                    CompletableFuture.supplyAsync(() -> open("given-up", cluster, 1 << 20, patience));
            until(toRedis::isInUse);
            toKafka.stall();
            toRedis.flow();
            until(() -> Thread.getAllStackTraces().keySet().stream()
                    .anyMatch(thread -> thread.getName().contains("given-up-maps")));
            givenUp.completeExceptionally(new IllegalStateException("the node is stopped"));
            assertFails(opened, BrokerStartException.class);
        }
    }

    private static CuttableProxy proxy(int port) throws IOException {
        return new CuttableProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    private ClusterStorage open(LocalRedis redis, int largestPacketBytes) {
        int largestRecordBytes = TopicNeeds.largestRecordBytes(TestKafka.SHARDS, largestPacketBytes);
        return open(
                cluster(kafka.withAppends(kafka.appends().withMaxRecordBytes(largestRecordBytes)), redis.ports()),
                largestPacketBytes,
                StartPatience.begin(Duration.ofMinutes(1), new CompletableFuture<>()));
    }

    private static ClusterConfig cluster(KafkaConfig kafka, List<Integer> redis) {
        return ClusterConfig.builder(
                        kafka,
                        RedisConfig.of(redis.stream()
                                .map(port -> new RedisConfig.Node("127.0.0.1", port))
                                .toList()),
                        LinkConfig.defaults("test", ClusterSecret.of("a secret of tests only"), "127.0.0.1", 0))
                .shards(TestKafka.SHARDS)
                .build();
    }

    private ClusterStorage open(ClusterConfig cluster, int largestPacketBytes, StartPatience patience) {
        return open("node", cluster, largestPacketBytes, patience);
    }

    private ClusterStorage open(
            String clientId, ClusterConfig cluster, int largestPacketBytes, StartPatience patience) {
        return ClusterStorage.open(
                clientId,
                cluster,
                largestPacketBytes,
                Visibility.ALONE,
                RecordFormat.alone(),
                InstantSource.system(),
                ClusterMetrics.unregistered(),
                patience,
                _ -> broken.incrementAndGet());
    }

    private static long append(AppTopics topics, AppTopic topic) {
        Message message = new Message(
                "a/topic",
                new byte[LARGE],
                QoS.EXACTLY_ONCE,
                false,
                PublishProperties.NONE,
                Message.NEVER,
                "publisher");
        Recipient recipient =
                new Recipient(topic.clientId(), 9, QoS.EXACTLY_ONCE, false, List.of(), null, ClientKind.APPLICATION);
        CompletableFuture<Long> appended = new CompletableFuture<>();
        topics.append(topic, message, recipient, null, (position, failure) -> {
            if (failure == null) {
                appended.complete(position);
            } else {
                appended.completeExceptionally(failure);
            }
        });
        return get(appended);
    }
}
