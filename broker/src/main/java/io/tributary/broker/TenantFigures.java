package io.tributary.broker;

import io.tributary.broker.deployment.ClusterStatus;
import io.tributary.broker.deployment.Membership;
import io.tributary.broker.metrics.TenantCounters;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.shard.TenantShare;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.broker.tenant.TenantUse;
import io.tributary.broker.tenant.Tenants;
import java.util.HashMap;
import java.util.Map;

/**
 * Adds up once a second what tenants use at this node: for their limits, the other nodes and the meters. Says then how
 * much of a tenant's limit of queued bytes each shard has. Confined to the thread of {@link #tick}.
 */
final class TenantFigures {
    private final Tenants tenants;
    private final Shards shards;
    private final Subscriptions subscriptions;
    private final RetainedMessages retained;
    private final Membership membership;
    private final TenantCounters meters;

    TenantFigures(
            Tenants tenants,
            Shards shards,
            Subscriptions subscriptions,
            RetainedMessages retained,
            Membership membership,
            TenantCounters meters) {
        this.tenants = tenants;
        this.shards = shards;
        this.subscriptions = subscriptions;
        this.retained = retained;
        this.membership = membership;
        this.meters = meters;
    }

    /** Once a second. */
    void tick() {
        Map<String, TenantUse> uses = uses();
        ClusterStatus cluster = membership.status();
        membership.tellTenants(tenants.tick(uses, cluster == null ? 1 : cluster.liveNodes()));
        shards.tenantShares().forEach(share -> share.mostQueuedBytes(mostQueuedBytes(share, uses)));
        meters.show(uses);
    }

    private Map<String, TenantUse> uses() {
        Map<String, TenantUse> uses = new HashMap<>(retained.byTenant());
        tenants.forEachConnected((name, count) -> add(uses, name, TenantUse.ofConnections(count)));
        shards.tenantShares()
                .forEach(share -> add(
                        uses, share.tenant(), TenantUse.ofSessions(share.persistentSessions(), share.queuedBytes())));
        subscriptions
                .countByTenant(true)
                .forEach((name, count) -> add(uses, name, TenantUse.ofSubscriptions(count, 0)));
        subscriptions
                .countByTenant(false)
                .forEach((name, count) -> add(uses, name, TenantUse.ofSubscriptions(0, count)));
        return uses;
    }

    private static void add(Map<String, TenantUse> uses, String name, TenantUse use) {
        uses.merge(name, use, TenantUse::plus);
    }

    /** What the other shards and nodes leave of the limit. */
    private long mostQueuedBytes(TenantShare share, Map<String, TenantUse> uses) {
        long limit = tenants.limit(share.tenant(), Limit.QUEUED_BYTES);
        if (limit == Long.MAX_VALUE) {
            return limit;
        }
        long here = uses.getOrDefault(share.tenant(), TenantUse.NOTHING).queuedBytes();
        long others =
                here - share.queuedBytes() + tenants.elsewhere(share.tenant()).queuedBytes();
        return limit - others;
    }
}
