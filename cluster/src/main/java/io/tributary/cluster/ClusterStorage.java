package io.tributary.cluster;

import io.tributary.broker.BrokerStartException;
import io.tributary.broker.deployment.Storage;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.cluster.ingest.IngestConfig;
import io.tributary.cluster.kafka.Appending;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.TopicNeeds;
import io.tributary.cluster.kafka.app.AppTopicsCheck;
import io.tributary.cluster.kafka.app.KafkaAppTopics;
import io.tributary.cluster.kafka.audit.KafkaAuditLog;
import io.tributary.cluster.kafka.ingest.IngestTopics;
import io.tributary.cluster.kafka.ingest.KafkaIngest;
import io.tributary.cluster.kafka.map.KafkaMaps;
import io.tributary.cluster.kafka.shard.KafkaShardLog;
import io.tributary.cluster.metrics.ClusterMetrics;
import io.tributary.cluster.node.NodeTable;
import io.tributary.cluster.redis.RedisChecks;
import io.tributary.cluster.redis.RedisCluster;
import io.tributary.cluster.redis.RedisShardStore;
import io.tributary.cluster.redis.RedisStoreException;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.audit.AuditLog;
import io.tributary.persistence.ingest.IngestSource;
import io.tributary.persistence.replicated.ReplicatedMap;
import io.tributary.persistence.replicated.Visibility;
import io.tributary.persistence.shard.ShardStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The storage that the nodes of a cluster share: the logs and the maps in Kafka, the shards' state in Redis.
 *
 * @param parts what is to be closed, in the order of opening
 * @param appending those of them that append to Kafka
 * @param routes the map of routes, in which nodes announce their transient subscriptions
 * @param nodes the node table
 * @param security the maps of security objects, by their names
 * @param audit what administrators changed
 * @param ingest the reader of back-ends' records, or null when none are read
 */
record ClusterStorage(
        List<AutoCloseable> parts,
        List<Appending> appending,
        TopicWatch watch,
        ReplicatedMap subscriptions,
        ReplicatedMap retained,
        ReplicatedMap routes,
        ReplicatedMap nodes,
        Map<String, ReplicatedMap> security,
        AuditLog audit,
        ShardStore store,
        AppTopics topics,
        KafkaShardLog log,
        @Nullable IngestSource ingest)
        implements Storage {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterStorage.class);

    /** The maps that all nodes follow. */
    static final List<String> MAPS = Stream.concat(
                    Stream.of("subscriptions", "retained", "routes", NodeTable.MAP), SecurityTable.mapNames().stream())
            .toList();

    private static final Duration WATCH_INTERVAL = Duration.ofMinutes(3);

    /** A producer fills a request up to its largest record, and Kafka's servers take 100 MiB unless told otherwise. */
    private static final int ANY_NODES_RECORD_BYTES = 96 * 1024 * 1024;

    /**
     * Checks that Kafka and Redis are what they must be, creates the topics that are not there, and connects. Blocks
     * until done, for at most the times that are configured.
     *
     * @param clientId names this node in the logs and metrics of Kafka
     * @param largestPacketBytes the largest packet of any listener
     * @param format says in which format records are written
     * @param clock the time of the cluster
     * @param patience how long Redis is waited for, and whether Kafka still is
     * @param onBroken told at most a few times, when Kafka has refused something for good: this node must not go on
     * @throws BrokerStartException with a sentence for each thing that is not as it must be
     */
    static ClusterStorage open(
            String clientId,
            ClusterConfig cluster,
            int largestPacketBytes,
            Visibility visibility,
            RecordFormat format,
            InstantSource clock,
            ClusterMetrics metrics,
            StartPatience patience,
            Consumer<Throwable> onBroken) {
        List<AutoCloseable> parts = new ArrayList<>();
        try {
            int largestRecordBytes = patience.interruptibly(() -> ensureTopics(cluster, largestPacketBytes));
            List<String> problems = RedisChecks.problems(
                    cluster.redis(),
                    cluster.kafka().generation().number(),
                    cluster.shards(),
                    patience.left(),
                    patience.givenUp());
            if (!problems.isEmpty()) {
                throw new RedisStoreException(String.join("\n", problems));
            }
            return patience.interruptibly(() -> connect(
                    parts,
                    clientId,
                    cluster,
                    largestPacketBytes,
                    largestRecordBytes,
                    visibility,
                    format,
                    clock,
                    metrics,
                    onBroken));
        } catch (KafkaAccessException | RedisStoreException | UnreadableRecordException e) {
            close(parts);
            throw new BrokerStartException(String.valueOf(e.getMessage()), e);
        } catch (RuntimeException | Error e) {
            close(parts);
            throw e;
        }
    }

    private static int ensureTopics(ClusterConfig cluster, int largestPacketBytes) {
        int largestRecordBytes = KafkaTopics.ensure(cluster.kafka(), cluster.topicNeeds(largestPacketBytes));
        AppTopicsCheck.check(cluster.kafka(), cluster.applications());
        if (cluster.ingest() != null) {
            IngestTopics.ensure(cluster.kafka(), cluster.ingest().source());
        }
        return largestRecordBytes;
    }

    /** @param parts gets what was opened, also when this fails */
    private static ClusterStorage connect(
            List<AutoCloseable> parts,
            String clientId,
            ClusterConfig cluster,
            int largestPacketBytes,
            int largestRecordBytes,
            Visibility visibility,
            RecordFormat format,
            InstantSource clock,
            ClusterMetrics metrics,
            Consumer<Throwable> onBroken) {
        KafkaConfig kafka = cluster.kafka();
        // A node that is configured for larger packets than this one may have let a record in that is forwarded here.
        KafkaConfig forShards = kafka.withAppends(
                kafka.appends().withMaxRecordBytesAtLeast(Math.max(largestRecordBytes, ANY_NODES_RECORD_BYTES)));
        TopicWatch watch = new TopicWatch(kafka, cluster.topicNeeds(largestPacketBytes), WATCH_INTERVAL);
        parts.add(watch);
        KafkaMaps maps = new KafkaMaps(kafka, clientId, MAPS.size(), visibility, metrics.kafka(), onBroken);
        parts.add(maps);
        ReplicatedMap subscriptions = maps.openForClients("subscriptions");
        ReplicatedMap retained = maps.openForClients("retained");
        ReplicatedMap routes = maps.openForClients("routes");
        ReplicatedMap nodes = maps.open(NodeTable.MAP);
        Map<String, ReplicatedMap> security = new HashMap<>();
        SecurityTable.mapNames().forEach(name -> security.put(name, maps.open(name)));
        KafkaAuditLog audit = new KafkaAuditLog(kafka, clientId, metrics.kafka(), onBroken);
        parts.add(audit);
        RedisCluster redis = RedisCluster.connect(cluster.redis());
        parts.add(redis);
        ShardStore store = new RedisShardStore(
                redis, kafka.generation().number(), cluster.shards(), format, clock, metrics.redis());
        parts.add(store);
        IngestConfig ingested = cluster.ingest();
        // A message that came when larger packets were allowed may still be forwarded to an application.
        int largestQueuedBytes = largestRecordBytes - TopicNeeds.largestRecordBytes(cluster.shards(), 0);
        KafkaAppTopics topics = new KafkaAppTopics(
                forShards,
                cluster.applications(),
                clientId,
                largestQueuedBytes,
                ingested == null ? null : ingested.publisher(),
                format,
                metrics.kafka(),
                onBroken);
        parts.add(topics);
        KafkaShardLog log = new KafkaShardLog(
                forShards, clientId, cluster.shards(), cluster.retention(), clock, metrics.kafka(), onBroken);
        parts.add(log);
        IngestSource ingest =
                ingested == null ? null : new KafkaIngest(kafka, clientId, ingested.source(), metrics.kafka());
        if (ingest != null) {
            parts.add(ingest);
        }
        return new ClusterStorage(
                parts,
                List.of(maps, audit, topics, log),
                watch,
                subscriptions,
                retained,
                routes,
                nodes,
                security,
                audit,
                store,
                topics,
                log,
                ingest);
    }

    /** Changes that were made to Kafka's topics and do harm, a sentence each. */
    List<String> topicFaults() {
        return watch.faults();
    }

    /** For how long the oldest append has waited that Kafka has not acknowledged; zero where none waits. */
    Duration oldestAppend() {
        return Duration.ofNanos(
                appending.stream().mapToLong(Appending::oldestAppendNanos).max().orElse(0));
    }

    /** Completes when this node has read all that the maps but the node table have at the time of the call. */
    CompletionStage<@Nullable Void> caughtUp() {
        return CompletableFuture.allOf(
                        Stream.concat(Stream.of(subscriptions, retained, routes), security.values().stream())
                                .map(map -> map.caughtUp().toCompletableFuture())
                                .toArray(CompletableFuture<?>[]::new))
                .thenApply(_ -> null);
    }

    @Override
    public @Nullable String problem() {
        return null;
    }

    @Override
    public long queuedBytes() {
        return 0;
    }

    @Override
    public long memoryBytes() {
        return 0;
    }

    @Override
    public void close() {
        close(parts);
    }

    private static void close(List<AutoCloseable> parts) {
        for (AutoCloseable part : parts.reversed()) {
            try {
                part.close();
            } catch (Exception e) {
                LOG.error("{} could not be closed", part, e); // the others are to be
            }
        }
        parts.clear();
    }
}
