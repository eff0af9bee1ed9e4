package io.tributary.broker.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.tributary.broker.cluster.ClusterRecorder;
import io.tributary.broker.ingest.IngestRecorder;
import io.tributary.broker.link.LinkRecorder;
import io.tributary.persistence.kafka.KafkaRecorder;
import io.tributary.persistence.redis.RedisRecorder;

/** The recorders of what only a node of a cluster has, beside those of {@link BrokerMetrics}. Thread-safe. */
public final class ClusterMetrics {
    private final KafkaRecorder kafka;
    private final RedisRecorder redis;
    private final LinkRecorder links;
    private final ClusterRecorder cluster;
    private final IngestRecorder ingest;

    /** Registers their meters: once for each registry. */
    public ClusterMetrics(MeterRegistry registry) {
        Meters meters = new Meters(registry);
        kafka = new KafkaCounters(meters);
        redis = new RedisCounters(meters);
        links = new LinkCounters(meters);
        cluster = new ClusterCounters(meters);
        ingest = new IngestCounters(meters);
    }

    /** Counts what goes to Kafka and comes back. */
    public KafkaRecorder kafka() {
        return kafka;
    }

    /** Counts the calls of Redis, and measures how long they take. */
    public RedisRecorder redis() {
        return redis;
    }

    /** Counts what goes over links. */
    public LinkRecorder links() {
        return links;
    }

    /** Counts what happens between nodes. */
    public ClusterRecorder cluster() {
        return cluster;
    }

    /** Counts what becomes of records that back-ends produce. */
    public IngestRecorder ingest() {
        return ingest;
    }
}
