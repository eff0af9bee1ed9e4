package io.tributary.broker.metrics;

import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.broker.tenant.TenantRecorder;
import io.tributary.broker.tenant.TenantUse;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what tenants do, and shows what they use. The first {@value #MOST} that come have meters of their own, for as
 * long as the process lives; all others share those of {@value #OTHER}.
 */
public final class TenantCounters implements TenantRecorder {
    private static final int MOST = 1_000;
    private static final String OTHER = "other";

    private final Meters meters;
    private final Map<String, Counted> counted = new ConcurrentHashMap<>();

    TenantCounters(Meters meters) {
        this.meters = meters;
    }

    @Override
    public Counts of(String tenant) {
        return counted(tenant);
    }

    /** Shows what each tenant uses at this node; those that are not named use nothing. */
    public void show(Map<String, TenantUse> uses) {
        Map<Counted, TenantUse> sums = new HashMap<>();
        uses.forEach((tenant, use) -> sums.merge(counted(tenant), use, TenantUse::plus));
        counted.values().forEach(each -> each.use = sums.getOrDefault(each, TenantUse.NOTHING));
    }

    private Counted counted(String tenant) {
        Counted known = counted.get(tenant);
        return known == null ? register(tenant) : known;
    }

    private synchronized Counted register(String tenant) {
        boolean isOwn = counted.containsKey(tenant) || counted.size() < MOST;
        return counted.computeIfAbsent(isOwn ? tenant : OTHER, name -> new Counted(meters, name));
    }

    private static final class Counted implements Counts {
        private final Meters meters;
        private final String tenant;
        private final LongAdder messagesReceived;
        private final LongAdder messagesSent;
        private final LongAdder bytesReceived;
        private final LongAdder bytesSent;
        private final Map<Limit, LongAdder> refused = new ConcurrentHashMap<>(0);
        private volatile TenantUse use = TenantUse.NOTHING;

        private Counted(Meters meters, String tenant) {
            this.meters = meters;
            this.tenant = tenant;
            messagesReceived = meters.counter(BrokerMeters.TENANT_MESSAGES, tenant, "received");
            messagesSent = meters.counter(BrokerMeters.TENANT_MESSAGES, tenant, "sent");
            bytesReceived = meters.counter(BrokerMeters.TENANT_BYTES, tenant, "received");
            bytesSent = meters.counter(BrokerMeters.TENANT_BYTES, tenant, "sent");
            meters.gauge(BrokerMeters.TENANT_CONNECTIONS, () -> use.connections(), tenant);
            meters.gauge(BrokerMeters.TENANT_SESSIONS, () -> use.sessions(), tenant);
            meters.gauge(
                    BrokerMeters.TENANT_SUBSCRIPTIONS,
                    () -> use.subscriptions() + use.transientSubscriptions(),
                    tenant);
            meters.gauge(BrokerMeters.TENANT_RETAINED_MESSAGES, () -> use.retainedMessages(), tenant);
            meters.gauge(BrokerMeters.TENANT_RETAINED_SIZE, () -> use.retainedBytes(), tenant);
            meters.gauge(BrokerMeters.TENANT_QUEUED_SIZE, () -> use.queuedBytes(), tenant);
        }

        @Override
        public void received(long bytes) {
            messagesReceived.increment();
            bytesReceived.add(bytes);
        }

        @Override
        public void sent(long bytes) {
            messagesSent.increment();
            bytesSent.add(bytes);
        }

        @Override
        public void refused(Limit limit) {
            refused.computeIfAbsent(
                            limit, each -> meters.counter(BrokerMeters.TENANT_REFUSED, tenant, Meters.tagValue(each)))
                    .increment();
        }
    }
}
