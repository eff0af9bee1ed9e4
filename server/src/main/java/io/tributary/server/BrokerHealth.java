package io.tributary.server;

import io.tributary.broker.BrokerStatus;
import io.tributary.broker.deployment.ClusterStatus;
import io.tributary.broker.deployment.IngestStatus;
import io.tributary.broker.relocation.DrainStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Up while the broker has started and is not stopping, and can do its work; otherwise why not, in words. What it is up
 * in spite of is a warning. For readiness: to start it again would not help.
 */
final class BrokerHealth implements HealthIndicator {
    private final Supplier<BrokerStatus> status;
    private final Supplier<List<String>> others;
    private final Supplier<@Nullable DrainStatus> drain;

    BrokerHealth(Supplier<BrokerStatus> status) {
        this(status, List::of, () -> null);
    }

    /**
     * Creates it.
     *
     * @param others warnings of what is around the broker
     * @param drain how far a drain is
     */
    BrokerHealth(Supplier<BrokerStatus> status, Supplier<List<String>> others, Supplier<@Nullable DrainStatus> drain) {
        this.status = status;
        this.others = others;
        this.drain = drain;
    }

    @Override
    public Health health() {
        BrokerStatus now = status.get();
        Health.Builder health = health(now, drain.get())
                .withDetail("listeners", now.listeners())
                .withDetail("connections", now.connections())
                .withDetail("persistentSessions", now.persistentSessions())
                .withDetail("queuedMessages", now.queuedMessages());
        List<String> warnings = new ArrayList<>(now.warnings());
        warnings.addAll(others.get());
        ClusterStatus cluster = now.cluster();
        if (cluster != null) {
            warnings.addAll(cluster.warnings());
            health.withDetail("nodes", cluster.liveNodes())
                    .withDetail("ownedShards", cluster.ownedShards())
                    .withDetail("unownedShards", cluster.unownedShards())
                    .withDetail("unsavedShards", cluster.unsavedShards())
                    .withDetail("laggingShards", cluster.laggingShards());
            addIngest(health, cluster.ingest());
        }
        if (!warnings.isEmpty()) {
            health.withDetail("warning", String.join("; ", warnings));
        }
        return health.build();
    }

    /** Clients are served all the same when it does not work. */
    private static void addIngest(Health.Builder health, @Nullable IngestStatus ingest) {
        if (ingest != null) {
            health.withDetail("ingest", ingest.problem() == null ? "reads" : ingest.problem())
                    .withDetail("ingestPartitions", ingest.partitions())
                    .withDetail("ingestLag", ingest.lag());
        }
    }

    private static Health.Builder health(BrokerStatus status, @Nullable DrainStatus drain) {
        List<String> problems = problems(status);
        if (!problems.isEmpty()) {
            return Health.down().withDetail("problem", String.join("; ", problems));
        }
        if (!status.ready() && drain != null && drain.isDraining()) {
            return Health.outOfService()
                    .withDetail("problem", "the node is drained")
                    .withDetail("drain", drain.phase().name().toLowerCase(Locale.ROOT));
        }
        if (!status.ready()) {
            String waitsFor = status.waitsFor();
            return Health.outOfService()
                    .withDetail("problem", waitsFor == null ? "the broker is starting or stopping" : waitsFor);
        }
        return Health.up();
    }

    /** What keeps a broker from its work, in words. */
    private static List<String> problems(BrokerStatus status) {
        List<String> problems = new ArrayList<>();
        if (status.problem() != null) {
            problems.add(status.problem());
        }
        ClusterStatus cluster = status.cluster();
        if (cluster != null) {
            problems.addAll(cluster.problems());
        }
        return problems;
    }
}
