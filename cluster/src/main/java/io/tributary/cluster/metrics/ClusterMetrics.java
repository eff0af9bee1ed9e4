package io.tributary.cluster.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.tributary.broker.metrics.Meters;
import io.tributary.broker.metrics.TlsCounters;
import io.tributary.broker.tls.TlsRecorder;
import io.tributary.cluster.ingest.IngestRecorder;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.link.LinkRecorder;
import io.tributary.cluster.node.ClusterRecorder;
import io.tributary.cluster.redis.RedisRecorder;

/**
 * The counts of one node of a cluster that a broker alone does not have, since its start, also where it began anew
 * meanwhile. Thread-safe.
 *
 * @param kafka the recorder of Kafka's clients
 * @param redis counts the calls of Redis, and measures how long they take
 * @param links the recorder of links
 * @param cluster the recorder of traffic between nodes
 * @param ingest the recorder of back-ends' records
 * @param tls the recorder of links' certificates
 */
public record ClusterMetrics(
        KafkaRecorder kafka,
        RedisRecorder redis,
        LinkRecorder links,
        ClusterRecorder cluster,
        IngestRecorder ingest,
        TlsRecorder tls) {

    /**
     * Registers their meters.
     *
     * @param registry reads the counters; of one broker only
     */
    public static ClusterMetrics registered(MeterRegistry registry) {
        Meters meters = new Meters(registry);
        return new ClusterMetrics(
                new KafkaCounters(meters),
                new RedisCounters(meters),
                new LinkCounters(meters),
                new ClusterCounters(meters),
                new IngestCounters(meters),
                new TlsCounters(meters));
    }

    /** Counts that nobody reads. */
    public static ClusterMetrics unregistered() {
        return registered(new CompositeMeterRegistry());
    }
}
