package io.tributary.broker.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.util.internal.PlatformDependent;
import io.tributary.broker.canary.CanaryRecorder;
import io.tributary.broker.connection.ClientRecorder;
import io.tributary.broker.group.GroupRecorder;
import io.tributary.broker.guard.GuardRecorder;
import io.tributary.broker.network.NetworkRecorder;
import io.tributary.broker.relocation.RelocationRecorder;
import io.tributary.broker.relocation.RelocationRecorder.Cause;
import io.tributary.broker.routing.PriorityRule;
import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.security.AuthenticationRecorder;
import io.tributary.broker.security.Revocations;
import io.tributary.broker.security.store.SecurityRecorder;
import io.tributary.broker.shard.ShardRecorder;
import io.tributary.broker.sys.SysStats;
import io.tributary.broker.tls.TlsRecorder;
import io.tributary.persistence.rocksdb.StorageRecorder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;

/**
 * All counts of one broker since its start, also where it began anew meanwhile: its parts count through the recorders,
 * a meter registry and {@code $SYS} read the same counters. Thread-safe.
 */
public final class BrokerMetrics {
    private final Meters meters;
    private final NetworkCounters network;
    private final ClientCounters clients;
    private final AuthenticationRecorder authentications;
    private final SecurityCounters security;
    private final RouterCounters router;
    private final ShardCounters shards;
    private final DeadlineCounters deadlines;
    private final GroupRecorder groups;
    private final StorageRecorder storage;
    private final TlsRecorder tls;
    private final GuardRecorder guard;
    private final TenantCounters tenants;
    private final RelocationRecorder relocation;
    private final CanaryRecorder canary;

    /**
     * Registers all meters but those that {@link #gauge} is called for, and those of a cluster.
     *
     * @param registry reads the counters; of one broker only
     */
    public BrokerMetrics(MeterRegistry registry) {
        meters = new Meters(registry);
        network = new NetworkCounters(meters);
        Set<String> ruleSets = RuleSetCounters.names();
        deadlines = new DeadlineCounters(meters);
        clients = new ClientCounters(meters, ruleSets, deadlines);
        authentications = new AuthenticationCounters(meters);
        security = new SecurityCounters(meters);
        router = new RouterCounters(meters, ruleSets);
        shards = new ShardCounters(meters, deadlines);
        groups = new GroupCounters(meters);
        storage = new StorageCounters(meters);
        tls = new TlsCounters(meters);
        guard = new GuardCounters(meters);
        tenants = new TenantCounters(meters);
        canary = new CanaryCounters(meters);
        Map<Cause, LongAdder> sentAway = meters.counters(BrokerMeters.CLIENTS_SENT_AWAY, Cause.class);
        relocation = (cause, count) -> Meters.of(sentAway, cause).add(count);
        if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator) {
            meters.gauge(BrokerMeters.DIRECT_MEMORY, () -> allocator.metric().usedDirectMemory());
            meters.gauge(BrokerMeters.DIRECT_MEMORY_MAX, PlatformDependent::maxDirectMemory);
        }
    }

    /** Counts for {@code $SYS} alone. */
    public static BrokerMetrics unregistered() {
        return new BrokerMetrics(new CompositeMeterRegistry());
    }

    /** Registers a gauge that shows what a supplier gives whenever the meters are read. */
    public void gauge(BrokerMeters meter, DoubleSupplier value) {
        meters.gauge(meter, value);
    }

    /** Counts messages that miss their deadline by the first of these rules for their topic; called once. */
    public void countDeadlines(List<PriorityRule> rules) {
        deadlines.countFor(rules);
    }

    /** The traffic so far, for {@code $SYS}; each figure is right, but they are not read at the same instant. */
    public SysStats.Traffic traffic() {
        return new SysStats.Traffic(
                network.opened(),
                network.packets(),
                router.publishes(),
                router.dropped() + clients.dropped() + shards.dropped(),
                router.unmatched(),
                network.bytes());
    }

    /** The most clients that were connected at once. */
    public long mostClients() {
        return clients.mostClients();
    }

    /** Applications that are connected. */
    public long applications() {
        return clients.applications();
    }

    /** The recorder of sockets' traffic. */
    public NetworkRecorder network() {
        return network;
    }

    /** The recorder of listeners' TLS. */
    public TlsRecorder tls() {
        return tls;
    }

    /** Counts bans. */
    public GuardRecorder guard() {
        return guard;
    }

    /** Counts what tenants do, and shows what they use. */
    public TenantCounters tenants() {
        return tenants;
    }

    /** The recorder of clients' connections. */
    public ClientRecorder clients() {
        return clients;
    }

    /** Counts what authenticators say. */
    public AuthenticationRecorder authentications() {
        return authentications;
    }

    /** Counts what happens around the store of security objects. */
    public SecurityRecorder security() {
        return security;
    }

    /** Counts what changes of rules take. */
    public Revocations.Recorder revocations() {
        return security;
    }

    /** Counts clients that are sent to other nodes. */
    public RelocationRecorder relocation() {
        return relocation;
    }

    /** Counts the canary's messages. */
    public CanaryRecorder canary() {
        return canary;
    }

    /** Counts messages. */
    public RouterRecorder router() {
        return router;
    }

    /** The recorder of shards. */
    public ShardRecorder shards() {
        return shards;
    }

    /** The recorder of shared subscriptions of applications. */
    public GroupRecorder groups() {
        return groups;
    }

    /** The recorder of the embedded store. */
    public StorageRecorder storage() {
        return storage;
    }
}
