package io.tributary.cluster;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.cluster.metrics.ClusterMetrics;
import java.time.Duration;

/** Starts brokers as nodes of a cluster. */
public final class ClusterBroker {

    private ClusterBroker() {}

    /**
     * Starts a node; returns when every listener accepts and every shard of the cluster has an owner. Blocks until
     * then.
     *
     * @param config what a broker alone is told, too; its data directory is not used
     * @param cluster what makes it a node of a cluster
     * @throws io.tributary.broker.BrokerStartException when a listener, Kafka, Redis or another node cannot be used,
     *     with words that say which and why
     */
    public static Broker start(
            BrokerConfig config,
            ClusterConfig cluster,
            BrokerExtensions extensions,
            BrokerMetrics metrics,
            ClusterMetrics clusterMetrics) {
        BrokerConfig ofNode = ofNode(config, cluster);
        return Broker.start(ofNode, extensions, metrics, (onLost, givenUp) -> {
            StartPatience patience = StartPatience.begin(cluster.kafka().startTimeout(), givenUp);
            ClusterConfig known = patience.interruptibly(() -> KnownLayout.of(cluster));
            Runnable joined = () -> KnownLayout.check(patience.interruptibly(() -> KnownLayout.of(cluster)), known);
            return Clustered.open(ofNode, known, clusterMetrics, patience, joined, onLost);
        });
    }

    /**
     * Starts the only node of a cluster whose shards are being changed, so that it brings these to rest; with the
     * shards that {@code cluster} has, whichever they are. Otherwise as {@link #start}.
     *
     * @param joined called once the node is in the node table, each time; throws a
     *     {@link io.tributary.broker.BrokerStartException} when it is not to go on
     */
    public static Broker startOnly(
            BrokerConfig config,
            ClusterConfig cluster,
            BrokerExtensions extensions,
            BrokerMetrics metrics,
            ClusterMetrics clusterMetrics,
            Runnable joined) {
        // It is to come to an end: no snapshots of the log, and what has expired is copied as expired.
        BrokerConfig ofNode = config.toBuilder()
                .shards(shards -> shards.retention(Duration.ZERO).expirySweep(0))
                .build();
        return Broker.start(ofNode, extensions, metrics, (onLost, givenUp) -> {
            StartPatience patience = StartPatience.begin(cluster.kafka().startTimeout(), givenUp);
            return Clustered.open(ofNode, cluster, clusterMetrics, patience, joined, onLost);
        });
    }

    /** Redis can be lost while the log is there; a broker alone has both in one store. */
    private static BrokerConfig ofNode(BrokerConfig config, ClusterConfig cluster) {
        return config.toBuilder()
                .shards(shards -> shards.retention(cluster.retention()))
                .build();
    }
}
