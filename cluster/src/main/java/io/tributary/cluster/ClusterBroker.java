package io.tributary.cluster;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.cluster.metrics.ClusterMetrics;

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
        // Redis can be lost while the log is there; a broker alone has both in one store.
        BrokerConfig ofNode = config.toBuilder()
                .shards(shards -> shards.retention(cluster.retention()))
                .build();
        return Broker.start(
                ofNode, extensions, metrics, onLost -> Clustered.open(ofNode, cluster, clusterMetrics, onLost));
    }
}
