package io.tributary.server.blackbox.walk;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.deployment.ClusterStatus;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.cluster.ClusterBroker;
import io.tributary.cluster.ClusterConfig;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.link.ClusterSecret;
import io.tributary.cluster.link.LinkConfig;
import io.tributary.cluster.metrics.ClusterMetrics;
import io.tributary.cluster.redis.RedisConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A broker in the classes that its loader loads. */
final class EmbeddedNode implements WalkedNode {
    private final Broker broker;

    private EmbeddedNode(Broker broker) {
        this.broker = broker;
    }

    static WalkedNode alone(Path data) {
        return start("node", data, null);
    }

    static WalkedNode member(String name, Path data, String kafka, List<String> redis) {
        ClusterConfig cluster = ClusterConfig.builder(
                        KafkaConfig.defaults(kafka)
                                .withTopicPrefix(data.getFileName().toString())
                                .withReplicationFactor(1),
                        RedisConfig.of(redis.stream()
                                .map(node -> node.split(":"))
                                .map(node -> new RedisConfig.Node(node[0], Integer.parseInt(node[1])))
                                .toList()),
                        LinkConfig.defaults("walks", ClusterSecret.of("a secret of tests only"), "127.0.0.1", 0))
                .shards(1)
                .build();
        return start(name, data, cluster);
    }

    /** Without what is done now and then whatever is on its way: figures, and save points. */
    private static WalkedNode start(String name, Path data, @Nullable ClusterConfig cluster) {
        BrokerConfig config = BrokerConfig.builder(data)
                .nodeName(name)
                .listener(ListenerConfig.tcp("tcp", 0))
                .shards(shards -> shards.threads(1).savePointInterval(Duration.ofHours(1)))
                .sysInterval(Duration.ZERO)
                .build();
        return new EmbeddedNode(
                cluster == null
                        ? Broker.start(config)
                        : ClusterBroker.start(
                                config,
                                cluster,
                                BrokerExtensions.NONE,
                                BrokerMetrics.unregistered(),
                                ClusterMetrics.unregistered()));
    }

    @Override
    public int port() {
        return broker.listeners().getFirst().address().getPort();
    }

    @Override
    public boolean ownsShards() {
        ClusterStatus cluster = broker.status().cluster();
        return cluster == null || cluster.ownedShards() > 0;
    }

    @Override
    public void close() {
        broker.close();
    }
}
