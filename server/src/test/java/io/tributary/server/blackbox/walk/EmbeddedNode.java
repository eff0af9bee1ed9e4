package io.tributary.server.blackbox.walk;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.deployment.ClusterStatus;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.shard.ShardConfig;
import io.tributary.cluster.ClusterBroker;
import io.tributary.cluster.ClusterConfig;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.app.AppTopicsConfig;
import io.tributary.cluster.link.ClusterSecret;
import io.tributary.cluster.link.LinkConfig;
import io.tributary.cluster.link.LinkLayer;
import io.tributary.cluster.metrics.ClusterMetrics;
import io.tributary.cluster.node.NodeTableConfig;
import io.tributary.cluster.node.VisibilityConfig;
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
        ClusterConfig cluster = new ClusterConfig(
                1,
                Duration.ofDays(7),
                KafkaConfig.defaults(kafka)
                        .withTopicPrefix(data.getFileName().toString())
                        .withReplicationFactor(1),
                AppTopicsConfig.defaults(),
                RedisConfig.of(redis.stream()
                        .map(node -> node.split(":"))
                        .map(node -> new RedisConfig.Node(node[0], Integer.parseInt(node[1])))
                        .toList()),
                LinkConfig.defaults("walks", ClusterSecret.of("a secret of tests only"), "127.0.0.1", 0),
                LinkLayer.PLAIN,
                null,
                0,
                NodeTableConfig.DEFAULT,
                VisibilityConfig.DEFAULT,
                null);
        return start(name, data, cluster);
    }

    /** Without what is done now and then whatever is on its way: figures, and save points. */
    private static WalkedNode start(String name, Path data, @Nullable ClusterConfig cluster) {
        BrokerConfig usual = BrokerConfig.defaults(data);
        BrokerConfig config = new BrokerConfig(
                name,
                data,
                usual.storage(),
                List.of(ListenerConfig.tcp("tcp", 0)),
                usual.network(),
                usual.clientRules(),
                usual.takeover(),
                new ShardConfig(
                        1,
                        Duration.ofHours(1),
                        usual.shards().savePointChanges(),
                        usual.shards().savePointBytes(),
                        usual.shards().windowMessages(),
                        usual.shards().windowBytes(),
                        usual.shards().queue()),
                usual.subscriptions(),
                usual.shared(),
                usual.maxDeliveries(),
                usual.retained(),
                Duration.ZERO,
                usual.drain());
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
