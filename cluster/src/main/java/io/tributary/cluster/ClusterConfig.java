package io.tributary.cluster;

import io.tributary.cluster.ingest.IngestConfig;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.app.AppTopicsConfig;
import io.tributary.cluster.link.LinkConfig;
import io.tributary.cluster.link.LinkLayer;
import io.tributary.cluster.node.ClusterNode;
import io.tributary.cluster.node.NodeTableConfig;
import io.tributary.cluster.node.VisibilityConfig;
import io.tributary.cluster.redis.RedisConfig;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a broker as a node of a cluster.
 *
 * @param shards how many shards the cluster has; fixed when it is created, 1 to 65,535
 * @param retention how long the shards' logs are kept at least: longer than a message may be queued
 * @param kafka the logs and the replicated maps
 * @param applications the topics of applications
 * @param redis the state of the shards
 * @param link the direct connections between nodes
 * @param linkLayer what lies between their sockets and them: TLS, or nothing
 * @param advertisedHost where other nodes reach this one, or null for the host that the link listens at
 * @param advertisedPort the port to that, or 0 for the one that the link listens at
 * @param nodes the times of the node table
 * @param visibility how nodes wait for each other's followers
 * @param ingest what back-ends may publish by producing records, or null for nothing
 */
public record ClusterConfig(
        int shards,
        Duration retention,
        KafkaConfig kafka,
        AppTopicsConfig applications,
        RedisConfig redis,
        LinkConfig link,
        LinkLayer linkLayer,
        @Nullable String advertisedHost,
        int advertisedPort,
        NodeTableConfig nodes,
        VisibilityConfig visibility,
        @Nullable IngestConfig ingest) {

    /** How many shards a cluster gets: a few for each shard thread there will ever be. */
    public static final int DEFAULT_SHARDS = 24;

    public ClusterConfig {
        if (shards < 1 || shards > 65_535) {
            throw new IllegalArgumentException("shards " + shards + ": must be 1 to 65,535");
        }
        if (!retention.isPositive()) {
            throw new IllegalArgumentException("retention " + retention + ": must be positive");
        }
        if (advertisedPort < 0 || advertisedPort > 65_535) {
            throw new IllegalArgumentException("advertised port " + advertisedPort + ": must be 0 to 65535");
        }
    }

    /** The part of one node. */
    ClusterNode.Config ofNode(String name, Set<String> maps) {
        return new ClusterNode.Config(name, maps, link, linkLayer, advertisedHost, advertisedPort, nodes, visibility);
    }
}
