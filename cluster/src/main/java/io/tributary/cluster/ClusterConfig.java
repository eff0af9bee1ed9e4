package io.tributary.cluster;

import static io.tributary.common.setting.InvalidSettingException.checkPositive;
import static io.tributary.common.setting.InvalidSettingException.checkWithin;

import io.tributary.broker.BrokerConfig;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.cluster.ingest.IngestConfig;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.TopicNeeds;
import io.tributary.cluster.kafka.app.AppTopicsConfig;
import io.tributary.cluster.kafka.layout.ShardLayout;
import io.tributary.cluster.link.LinkConfig;
import io.tributary.cluster.link.LinkLayer;
import io.tributary.cluster.node.ClusterNode;
import io.tributary.cluster.node.Formats;
import io.tributary.cluster.node.NodeTableConfig;
import io.tributary.cluster.node.VisibilityConfig;
import io.tributary.cluster.redis.RedisConfig;
import io.tributary.common.setting.InvalidSettingException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The configuration of a broker as a node of a cluster. */
public final class ClusterConfig {

    /** How many shards a cluster gets: a few for each shard thread there will ever be. */
    public static final int DEFAULT_SHARDS = 24;

    private final int shards;
    private final Duration retention;
    private final KafkaConfig kafka;
    private final AppTopicsConfig applications;
    private final RedisConfig redis;
    private final LinkConfig link;
    private final LinkLayer linkLayer;
    private final @Nullable String advertisedHost;
    private final int advertisedPort;
    private final Formats formats;
    private final NodeTableConfig nodes;
    private final VisibilityConfig visibility;
    private final @Nullable IngestConfig ingest;

    private ClusterConfig(Builder from) {
        shards = from.shards;
        retention = from.retention;
        kafka = from.kafka;
        applications = from.applications;
        redis = from.redis;
        link = from.link;
        linkLayer = from.linkLayer;
        advertisedHost = from.advertisedHost;
        advertisedPort = from.advertisedPort;
        formats = from.formats;
        nodes = from.nodes;
        visibility = from.visibility;
        ingest = from.ingest;
        checkWithin("shards", shards, 1, TopicNeeds.MOST_SHARDS);
        checkPositive("retention", retention);
        checkWithin("link.advertised-port", advertisedPort, 0, 65_535);
    }

    /**
     * A node with all defaults, to be changed.
     *
     * @param kafka the logs and the replicated maps
     * @param redis the state of the shards
     * @param link the direct connections between nodes
     */
    public static Builder builder(KafkaConfig kafka, RedisConfig redis, LinkConfig link) {
        return new Builder(kafka, redis, link);
    }

    /** How many shards the cluster has, 1 to 16,384; changed with {@code tributary cluster reshard} alone. */
    public int shards() {
        return shards;
    }

    /** How long the shards' logs are kept at least: longer than a message may be queued. */
    public Duration retention() {
        return retention;
    }

    /** The logs and the replicated maps. */
    public KafkaConfig kafka() {
        return kafka;
    }

    /** The topics of applications. */
    public AppTopicsConfig applications() {
        return applications;
    }

    /** The state of the shards. */
    public RedisConfig redis() {
        return redis;
    }

    /** The direct connections between nodes. */
    public LinkConfig link() {
        return link;
    }

    /** What lies between their sockets and them: TLS, or nothing. */
    public LinkLayer linkLayer() {
        return linkLayer;
    }

    /** Where other nodes reach this one, or null for the host that the link listens at. */
    public @Nullable String advertisedHost() {
        return advertisedHost;
    }

    /** The port to that, or 0 for the one that the link listens at. */
    public int advertisedPort() {
        return advertisedPort;
    }

    /** When the cluster is to write a newer format. */
    public Formats formats() {
        return formats;
    }

    /** The times of the node table. */
    public NodeTableConfig nodes() {
        return nodes;
    }

    /** How nodes wait for each other's followers. */
    public VisibilityConfig visibility() {
        return visibility;
    }

    /** What back-ends may publish by producing records, or null for nothing. */
    public @Nullable IngestConfig ingest() {
        return ingest;
    }

    /**
     * The requirements on Kafka's topics.
     *
     * @param largestPacketBytes the largest packet of any listener
     */
    public TopicNeeds topicNeeds(int largestPacketBytes) {
        return new TopicNeeds(shards, ClusterStorage.MAPS, SecurityTable.mapNames(), retention, largestPacketBytes);
    }

    /** The same with these shards. */
    public ClusterConfig at(ShardLayout layout) {
        return toBuilder(layout.in(kafka)).shards(layout.shards()).build();
    }

    /** The same without records of back-ends. */
    public ClusterConfig withoutIngest() {
        return toBuilder(kafka).ingest(null).build();
    }

    private Builder toBuilder(KafkaConfig newKafka) {
        return new Builder(newKafka, redis, link)
                .shards(shards)
                .retention(retention)
                .applications(applications)
                .linkLayer(linkLayer)
                .advertisedHost(advertisedHost)
                .advertisedPort(advertisedPort)
                .formats(formats)
                .nodes(nodes)
                .visibility(visibility)
                .ingest(ingest);
    }

    /** The part of one node. */
    ClusterNode.Config ofNode(BrokerConfig node, Set<String> maps) {
        return new ClusterNode.Config(
                node.nodeName(),
                maps,
                link,
                linkLayer,
                advertisedHost,
                advertisedPort,
                nodes,
                visibility,
                formats,
                shards,
                node.publishersWait());
    }

    /** Collects values. Not thread-safe. */
    public static final class Builder {
        private int shards;
        private Duration retention;
        private final KafkaConfig kafka;
        private AppTopicsConfig applications;
        private final RedisConfig redis;
        private final LinkConfig link;
        private LinkLayer linkLayer;
        private @Nullable String advertisedHost;
        private int advertisedPort;
        private Formats formats;
        private NodeTableConfig nodes;
        private VisibilityConfig visibility;
        private @Nullable IngestConfig ingest;

        private Builder(KafkaConfig kafka, RedisConfig redis, LinkConfig link) {
            this.kafka = kafka;
            this.redis = redis;
            this.link = link;
            shards = DEFAULT_SHARDS;
            retention = Duration.ofDays(7);
            applications = AppTopicsConfig.defaults();
            linkLayer = LinkLayer.PLAIN;
            formats = Formats.AUTOMATIC;
            nodes = NodeTableConfig.DEFAULT;
            visibility = VisibilityConfig.DEFAULT;
        }

        /** How many shards the cluster has, 1 to 16,384; changed with {@code tributary cluster reshard} alone. */
        public Builder shards(int value) {
            shards = value;
            return this;
        }

        /** How long the shards' logs are kept at least: longer than a message may be queued. */
        public Builder retention(Duration value) {
            retention = value;
            return this;
        }

        /** The topics of applications. */
        public Builder applications(AppTopicsConfig value) {
            applications = value;
            return this;
        }

        /** What lies between their sockets and them: TLS, or nothing. */
        public Builder linkLayer(LinkLayer value) {
            linkLayer = value;
            return this;
        }

        /** Where other nodes reach this one, or null for the host that the link listens at. */
        public Builder advertisedHost(@Nullable String value) {
            advertisedHost = value;
            return this;
        }

        /** The port to that, or 0 for the one that the link listens at. */
        public Builder advertisedPort(int value) {
            advertisedPort = value;
            return this;
        }

        /** When the cluster is to write a newer format. */
        public Builder formats(Formats value) {
            formats = value;
            return this;
        }

        /** The times of the node table. */
        public Builder nodes(NodeTableConfig value) {
            nodes = value;
            return this;
        }

        /** How nodes wait for each other's followers. */
        public Builder visibility(VisibilityConfig value) {
            visibility = value;
            return this;
        }

        /** What back-ends may publish by producing records, or null for nothing. */
        public Builder ingest(@Nullable IngestConfig value) {
            ingest = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public ClusterConfig build() {
            return new ClusterConfig(this);
        }
    }
}
