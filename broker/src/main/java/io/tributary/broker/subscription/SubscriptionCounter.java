package io.tributary.broker.subscription;

import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.TenantNames;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the subscriptions of some sessions, and their memberships in shared ones; also of each tenant. Those of the
 * broker's own clients count nowhere. Any thread.
 */
final class SubscriptionCounter {
    private final LongAdder plain = new LongAdder();
    private final LongAdder shared = new LongAdder();
    private final ConcurrentMap<String, Long> byTenant = new ConcurrentHashMap<>();

    /**
     * Subscriptions were made or removed.
     *
     * @param change how many more there are
     */
    void add(Subscriber subscriber, boolean isShared, int change) {
        if (TenantNames.isBrokers(subscriber.clientId())) {
            return;
        }
        (isShared ? shared : plain).add(change);
        String tenant = tenantOf(subscriber.clientId());
        if (tenant != null) {
            byTenant.merge(tenant, (long) change, SubscriptionCounter::sum);
        }
    }

    private static @Nullable String tenantOf(String clientId) {
        return GroupIdentifier.isGroup(clientId) ? null : TenantNames.tenantOf(clientId);
    }

    private static @Nullable Long sum(Long before, Long change) {
        return before + change == 0 ? null : before + change;
    }

    SubscriptionCount count() {
        return new SubscriptionCount(plain.sum(), shared.sum());
    }

    /** Those of a tenant's sessions. */
    long count(String tenant) {
        return byTenant.getOrDefault(tenant, 0L);
    }

    /** Those of each tenant that has some; changes with them. */
    Map<String, Long> byTenant() {
        return byTenant;
    }
}
