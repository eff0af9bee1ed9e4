package io.tributary.broker.tenant;

import io.tributary.broker.security.store.TenantLimits.Limit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A tenant that has limits or connections, as this node knows it. Any thread, unless a method says otherwise. */
final class Tenant {
    /** For how long counts what another node has said last. */
    private static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String name;
    private final AtomicInteger connections = new AtomicInteger();
    private final Map<String, Said> said = new ConcurrentHashMap<>(0);
    private volatile Map<Limit, Long> limits = Map.of();
    private volatile TenantUse here = TenantUse.NOTHING;
    private volatile TenantUse elsewhere = TenantUse.NOTHING;
    private volatile @Nullable TenantRate rate;

    /** What was told last; on the thread of {@link Tenants#tick}. */
    private TenantUse told = TenantUse.NOTHING;

    private record Said(TenantUse use, long nanos) {}

    Tenant(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    /** The connections of this node, at this moment. */
    AtomicInteger connections() {
        return connections;
    }

    /** The value of a limit, {@code Long.MAX_VALUE} where there is none. */
    long limit(Limit limit) {
        return limits.getOrDefault(limit, Long.MAX_VALUE);
    }

    boolean isLimited() {
        return !limits.isEmpty();
    }

    /** Whether nothing is to be remembered. */
    boolean isIdle() {
        return limits.isEmpty() && connections.get() == 0;
    }

    /** What all nodes use together; of this node as it was a second ago, but for connections. */
    TenantUse use() {
        TenantUse known = here;
        return known.plus(TenantUse.ofConnections(connections.get() - known.connections()))
                .plus(elsewhere);
    }

    /** What the other nodes use together, as they said. */
    TenantUse elsewhere() {
        return elsewhere;
    }

    /** How fast clients may publish here, null without a limit. */
    @Nullable
    TenantRate rate() {
        return rate;
    }

    synchronized void limits(Map<Limit, Long> now, int nodes) {
        limits = now;
        pace(nodes);
    }

    /** Another node has said what the tenant uses there. */
    void said(String node, TenantUse use, long nowNanos) {
        said.put(node, new Said(use, nowNanos));
        addUp(nowNanos);
    }

    /** What the tenant uses at this node, and how many nodes there are; once a second. */
    void tick(TenantUse used, int nodes, long nowNanos) {
        here = used;
        addUp(nowNanos);
        pace(nodes);
    }

    private synchronized void addUp(long nowNanos) {
        said.values().removeIf(each -> nowNanos - each.nanos > AGE_NANOS);
        TenantUse sum = TenantUse.NOTHING;
        for (Said each : said.values()) {
            sum = sum.plus(each.use);
        }
        elsewhere = sum;
    }

    private synchronized void pace(int nodes) {
        long messages = partOf(limit(Limit.MESSAGES_PER_SECOND), nodes);
        long bytes = partOf(limit(Limit.BYTES_PER_SECOND), nodes);
        TenantRate now = rate;
        boolean isSame = now == null ? messages == Long.MAX_VALUE && bytes == Long.MAX_VALUE : now.is(messages, bytes);
        if (!isSame) {
            rate = TenantRate.of(messages, bytes);
        }
    }

    private static long partOf(long limit, int nodes) {
        return limit == Long.MAX_VALUE ? limit : Math.ceilDiv(limit, nodes);
    }

    /** What the other nodes are to be told now, null for nothing; on the thread of {@link Tenants#tick}. */
    @Nullable
    TenantUse toTell(boolean inAnyCase) {
        TenantUse own = here.own();
        boolean isNew = !own.equals(told);
        told = own;
        return isNew || (inAnyCase && !own.equals(TenantUse.NOTHING)) ? own : null;
    }
}
