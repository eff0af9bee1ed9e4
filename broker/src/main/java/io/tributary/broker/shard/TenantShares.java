package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.Tally;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.TenantNames;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What tenants' sessions hold in one shard: an entry for each tenant that has a session there. The shard's thread
 * changes it, any thread reads it.
 */
final class TenantShares {
    private final ConcurrentMap<String, TenantShare> shares = new ConcurrentHashMap<>();

    /** Where the session of a client counts. */
    Tally of(String clientId) {
        String tenant = GroupIdentifier.isGroup(clientId) ? null : TenantNames.tenantOf(clientId);
        return tenant == null || tenant.equals(TenantNames.BROKER)
                ? Tally.NONE
                : shares.computeIfAbsent(tenant, name -> new TenantShare(name, () -> shares.remove(name)));
    }

    /** How many persistent sessions a tenant has. */
    long sessions(String tenant) {
        TenantShare share = shares.get(tenant);
        return share == null ? 0 : share.persistentSessions();
    }

    Collection<TenantShare> all() {
        return shares.values();
    }
}
