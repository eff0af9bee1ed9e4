package io.tributary.broker.retained;

import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.broker.tenant.TenantUse;
import io.tributary.broker.tenant.Tenants;
import io.tributary.common.event.TenantNames;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;

/**
 * The budgets of retained messages: one for all, and one for each tenant that has topics with some. A tenant's is
 * forgotten with the last of its topics. Any thread.
 */
final class RetainedBudgets {
    private final RetainedBudget whole;
    private final Tenants tenants;
    private final ConcurrentMap<String, Held> byTenant = new ConcurrentHashMap<>();

    /** @param topics how many topics hold it, 1 or more */
    private record Held(RetainedBudget budget, int topics) {}

    RetainedBudgets(RetainedLimits limits, Tenants tenants) {
        whole = new RetainedBudget(limits);
        this.tenants = tenants;
    }

    /** The budget for all messages. */
    RetainedBudget whole() {
        return whole;
    }

    /** The budget for a topic's message; {@link #release} follows. */
    RetainedBudget hold(String topic) {
        String tenant = TenantNames.tenantOf(topic);
        return tenant == null
                ? whole
                : byTenant.compute(
                                tenant,
                                (name, held) -> held == null
                                        ? new Held(budget(name), 1)
                                        : new Held(held.budget, held.topics + 1))
                        .budget;
    }

    /** A topic has no message any more. */
    void release(String topic) {
        String tenant = TenantNames.tenantOf(topic);
        if (tenant != null) {
            byTenant.computeIfPresent(
                    tenant, (_, held) -> held.topics == 1 ? null : new Held(held.budget, held.topics - 1));
        }
    }

    private RetainedBudget budget(String tenant) {
        return new RetainedBudget(
                whole,
                () -> tenants.limit(tenant, Limit.RETAINED_MESSAGES),
                () -> tenants.limit(tenant, Limit.RETAINED_BYTES),
                limit -> tenants.refused(tenant, limit));
    }

    /** What each tenant retains that retains something. */
    Map<String, TenantUse> byTenant() {
        return byTenant.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        each -> TenantUse.ofRetained(
                                each.getValue().budget.messages(),
                                each.getValue().budget.bytes())));
    }
}
