package io.tributary.server;

import io.tributary.broker.BrokerStatus;
import io.tributary.broker.deployment.ClusterStatus;
import io.tributary.broker.deployment.IngestStatus;
import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.broker.metrics.BrokerMetrics;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The broker's status as gauges. A status counts for a second, so that reading all gauges costs one.
 *
 * <p>Thread-safe: two readers at once may both ask the broker, which does no harm.
 */
final class StatusGauges {
    private static final long LIFETIME_NANOS = Duration.ofSeconds(1).toNanos();

    private final Supplier<BrokerStatus> source;
    private final LongSupplier nanoTime;
    private volatile Reading last;

    private record Reading(BrokerStatus status, long nanoTime) {}

    StatusGauges(Supplier<BrokerStatus> source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
        last = new Reading(source.get(), nanoTime.getAsLong());
    }

    static StatusGauges register(Supplier<BrokerStatus> source, BrokerMetrics metrics) {
        StatusGauges gauges = new StatusGauges(source, System::nanoTime);
        gauges.register(metrics);
        return gauges;
    }

    void register(BrokerMetrics metrics) {
        gauge(metrics, BrokerMeters.READY, status -> status.ready() ? 1 : 0);
        gauge(metrics, BrokerMeters.STORAGE_HEALTHY, status -> status.problem() == null ? 1 : 0);
        gauge(metrics, BrokerMeters.CONNECTIONS, BrokerStatus::connections);
        gauge(metrics, BrokerMeters.PERSISTENT_SESSIONS, BrokerStatus::persistentSessions);
        gauge(metrics, BrokerMeters.SUBSCRIPTIONS, BrokerStatus::subscriptions);
        gauge(metrics, BrokerMeters.SHARED_SUBSCRIPTIONS, BrokerStatus::sharedSubscriptions);
        gauge(
                metrics,
                BrokerMeters.SUBSCRIPTIONS_SIZE,
                status -> status.subscriptionMemory().bytes());
        gauge(
                metrics,
                BrokerMeters.SUBSCRIPTIONS_SIZE_MAX,
                status -> status.subscriptionMemory().mostBytes());
        gauge(metrics, BrokerMeters.RETAINED_MESSAGES, BrokerStatus::retainedMessages);
        gauge(metrics, BrokerMeters.RETAINED_SIZE, BrokerStatus::retainedBytes);
        gauge(metrics, BrokerMeters.QUEUED_MESSAGES, BrokerStatus::queuedMessages);
        gauge(metrics, BrokerMeters.DELIVERY_SIZE, BrokerStatus::deliveryBytes);
        gauge(metrics, BrokerMeters.WILL_SIZE, status -> status.willMemory().bytes());
        gauge(metrics, BrokerMeters.WILL_SIZE_MAX, status -> status.willMemory().mostBytes());
        gauge(metrics, BrokerMeters.COMMIT_QUEUE, BrokerStatus::storageQueueBytes);
        gauge(metrics, BrokerMeters.STORAGE_MEMORY, BrokerStatus::storageMemoryBytes);
        if (status().cluster() != null) {
            registerCluster(metrics);
        }
    }

    private void registerCluster(BrokerMetrics metrics) {
        clusterGauge(metrics, BrokerMeters.CLUSTER_NODES, ClusterStatus::liveNodes);
        clusterGauge(metrics, BrokerMeters.SHARDS_OWNED, ClusterStatus::ownedShards);
        clusterGauge(metrics, BrokerMeters.SHARDS_UNOWNED, ClusterStatus::unownedShards);
        clusterGauge(metrics, BrokerMeters.SHARDS_UNSAVED, ClusterStatus::unsavedShards);
        clusterGauge(metrics, BrokerMeters.SHARDS_LAGGING, ClusterStatus::laggingShards);
        clusterGauge(
                metrics,
                BrokerMeters.KAFKA_APPENDS_AGE,
                cluster -> cluster.oldestAppend().toNanos() / 1e9);
        clusterGauge(metrics, BrokerMeters.BEHIND, cluster -> cluster.behind() ? 1 : 0);
        clusterGauge(metrics, BrokerMeters.FORMATS_HELD, cluster -> cluster.formatsHeld() ? 1 : 0);
        clusterGauge(
                metrics,
                BrokerMeters.CLUSTER_PROBLEMS,
                cluster -> cluster.problems().size());
        ClusterStatus now = status().cluster();
        if (now != null && now.ingest() != null) {
            ingestGauge(metrics, BrokerMeters.INGEST_PARTITIONS, IngestStatus::partitions);
            ingestGauge(metrics, BrokerMeters.INGEST_LAG, IngestStatus::lag);
            ingestGauge(metrics, BrokerMeters.INGEST_HEALTHY, ingest -> ingest.problem() == null ? 1 : 0);
        }
    }

    BrokerStatus status() {
        long now = nanoTime.getAsLong();
        Reading reading = last;
        if (now - reading.nanoTime() >= LIFETIME_NANOS) {
            reading = new Reading(source.get(), now);
            last = reading;
        }
        return reading.status();
    }

    private void gauge(BrokerMetrics metrics, BrokerMeters meter, ToDoubleFunction<BrokerStatus> value) {
        metrics.gauge(meter, () -> value.applyAsDouble(status()));
    }

    private void ingestGauge(BrokerMetrics metrics, BrokerMeters meter, ToDoubleFunction<IngestStatus> value) {
        clusterGauge(metrics, meter, cluster -> {
            IngestStatus ingest = cluster.ingest();
            return ingest == null ? Double.NaN : value.applyAsDouble(ingest);
        });
    }

    private void clusterGauge(BrokerMetrics metrics, BrokerMeters meter, ToDoubleFunction<ClusterStatus> value) {
        gauge(metrics, meter, status -> {
            ClusterStatus cluster = status.cluster();
            return cluster == null ? Double.NaN : value.applyAsDouble(cluster);
        });
    }
}
