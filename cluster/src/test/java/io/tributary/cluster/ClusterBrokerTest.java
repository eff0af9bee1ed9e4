package io.tributary.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.BrokerStartException;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.cluster.kafka.WholeTopic;
import io.tributary.cluster.link.ClusterSecret;
import io.tributary.cluster.link.LinkConfig;
import io.tributary.cluster.metrics.ClusterMetrics;
import io.tributary.cluster.node.NodeTable;
import io.tributary.cluster.redis.RedisConfig;
import io.tributary.localcluster.LocalRedis;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterBrokerTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final KafkaConfig kafka = TestKafka.config();
    private final Set<String> nodes = ConcurrentHashMap.newKeySet();

    /** Who changes the shards says so, and then looks there for nodes that have started meanwhile. */
    @Test
    void nodeLooksWhetherItMayGoOnOnceItIsInTheNodeTable() {
        try (LocalRedis redis = LocalRedis.in(folder).start()) {
            assertThatThrownBy(() -> start(redis))
                    .isInstanceOf(BrokerStartException.class)
                    .hasMessage("not to go on");
        }
        assertThat(nodes).contains("one");
    }

    private void start(LocalRedis redis) {
        ClusterConfig cluster = ClusterConfig.builder(
                        kafka,
                        RedisConfig.of(redis.ports().stream()
                                .map(port -> new RedisConfig.Node("127.0.0.1", port))
                                .toList()),
                        LinkConfig.defaults("test", ClusterSecret.of("a secret of tests only"), "127.0.0.1", 0))
                .shards(TestKafka.SHARDS)
                .build();
        ClusterBroker.startOnly(
                        BrokerConfig.builder(folder).nodeName("one").build(),
                        cluster,
                        BrokerExtensions.NONE,
                        BrokerMetrics.unregistered(),
                        ClusterMetrics.unregistered(),
                        this::look)
                .close();
    }

    private void look() {
        nodes.addAll(WholeTopic.latest(kafka, kafka.mapTopic(NodeTable.MAP)).keySet());
        throw new BrokerStartException("not to go on", null);
    }
}
