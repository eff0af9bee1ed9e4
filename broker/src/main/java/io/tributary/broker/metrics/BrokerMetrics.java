package io.tributary.broker.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.tributary.broker.connection.ConnectionRecorder;
import io.tributary.broker.group.GroupRecorder;
import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.session.SessionRecorder;
import io.tributary.broker.shard.ShardRecorder;
import io.tributary.persistence.rocksdb.StorageRecorder;
import java.util.function.DoubleSupplier;

/** The recorders of one broker's parts, which count into a meter registry. Thread-safe. */
public final class BrokerMetrics {
    private final Meters meters;
    private final ConnectionRecorder connections;
    private final SessionRecorder sessions;
    private final RouterRecorder router;
    private final ShardRecorder shards;
    private final GroupRecorder groups;
    private final StorageRecorder storage;

    /** Registers all meters but those that {@link #gauge} is called for. */
    public BrokerMetrics(MeterRegistry registry) {
        meters = new Meters(registry);
        connections = new ConnectionCounters(meters);
        sessions = new SessionCounters(meters);
        router = new RouterCounters(meters);
        shards = new ShardCounters(meters);
        groups = new GroupCounters(meters);
        storage = new StorageCounters(meters);
        if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator) {
            meters.gauge(BrokerMeters.DIRECT_MEMORY, () -> allocator.metric().usedDirectMemory());
        }
    }

    /** Registers a gauge that shows what a supplier gives whenever the meters are read. */
    public void gauge(BrokerMeters meter, DoubleSupplier value) {
        meters.gauge(meter, value);
    }

    /** Counts what goes over sockets. */
    public ConnectionRecorder connections() {
        return connections;
    }

    /** Counts what happens to sessions. */
    public SessionRecorder sessions() {
        return sessions;
    }

    /** Counts messages. */
    public RouterRecorder router() {
        return router;
    }

    /** Counts what shards do. */
    public ShardRecorder shards() {
        return shards;
    }

    /** Counts what happens in shared subscriptions of applications. */
    public GroupRecorder groups() {
        return groups;
    }

    /** Counts what the embedded store does, and measures how long. */
    public StorageRecorder storage() {
        return storage;
    }
}
