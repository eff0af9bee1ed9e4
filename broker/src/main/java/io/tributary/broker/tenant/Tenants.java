package io.tributary.broker.tenant;

import io.tributary.broker.security.store.SecurityObject;
import io.tributary.broker.security.store.TenantLimits;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.broker.tenant.TenantReport.Line;
import io.tributary.common.event.UnreadableRecordException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tenants that have limits or connections, at one node. What each uses here is known exactly, or given once a
 * second to {@link #tick}; what it uses elsewhere is what other nodes say, once a second, of those that have limits. A
 * tenant that has neither limits nor connections is forgotten. Any thread, unless a method says otherwise; never
 * blocks.
 */
public final class Tenants {
    private static final Logger LOG = LoggerFactory.getLogger(Tenants.class);
    /** What has not changed is told again so often, for nodes that are new. */
    private static final int TICKS_A_REPEAT = 4;

    private final ConcurrentMap<String, Tenant> tenants = new ConcurrentHashMap<>();
    private final TenantRecorder recorder;
    private volatile int nodes = 1;
    private long ticks; // on the thread of tick

    /** Creates it, without limits. */
    public Tenants(TenantRecorder recorder) {
        this.recorder = recorder;
    }

    /** A client of a tenant is about to get its session: a connection until {@link TenantConnection#close}. */
    public TenantConnection enter(String name) {
        int[] others = new int[1];
        Tenant entered = tenants.compute(name, (_, known) -> {
            Tenant tenant = known == null ? new Tenant(name) : known;
            others[0] = tenant.connections().getAndIncrement();
            return tenant;
        });
        return new TenantConnection(this, entered, recorder.of(name), others[0]);
    }

    void left(Tenant left) {
        tenants.computeIfPresent(left.name(), (_, tenant) -> {
            tenant.connections().decrementAndGet();
            return tenant.isIdle() ? null : tenant;
        });
    }

    /** An object of the store has changed, perhaps the limits of a tenant, which count from now on. */
    public void changed(@Nullable SecurityObject before, @Nullable SecurityObject now) {
        if (now instanceof TenantLimits limits) {
            limited(limits.name(), limits.limits());
        } else if (before instanceof TenantLimits gone) {
            limited(gone.name(), Map.of());
        }
    }

    private void limited(String name, Map<Limit, Long> limits) {
        tenants.compute(name, (_, known) -> {
            Tenant tenant = known == null ? new Tenant(name) : known;
            tenant.limits(limits, nodes);
            return tenant.isIdle() ? null : tenant;
        });
    }

    /** A limit of a tenant, {@code Long.MAX_VALUE} where there is none. */
    public long limit(String name, Limit limit) {
        Tenant tenant = tenants.get(name);
        return tenant == null ? Long.MAX_VALUE : tenant.limit(limit);
    }

    /** Something of a tenant was refused because of a limit. */
    public void refused(String name, Limit limit) {
        recorder.of(name).refused(limit);
    }

    /** What a tenant with limits or connections uses at all nodes, as far as this one knows; else nothing. */
    public TenantUse use(String name) {
        Tenant tenant = tenants.get(name);
        return tenant == null ? TenantUse.NOTHING : tenant.use();
    }

    /** What a tenant uses at the other nodes, as they said. */
    public TenantUse elsewhere(String name) {
        Tenant tenant = tenants.get(name);
        return tenant == null ? TenantUse.NOTHING : tenant.elsewhere();
    }

    /** Tells of each tenant that has connections here, how many. */
    public void forEachConnected(BiConsumer<String, Integer> action) {
        tenants.forEach((name, tenant) -> {
            int connections = tenant.connections().get();
            if (connections > 0) {
                action.accept(name, connections);
            }
        });
    }

    /**
     * Takes what tenants use at this node; once a second, by one thread.
     *
     * @param used by the names of tenants
     * @param liveNodes how many nodes share a rate, this one counted
     * @return what to tell the other nodes, in parts
     */
    public List<byte[]> tick(Map<String, TenantUse> used, int liveNodes) {
        long nowNanos = System.nanoTime();
        nodes = Math.max(1, liveNodes);
        boolean repeats = ++ticks % TICKS_A_REPEAT == 0;
        List<Line> lines = new ArrayList<>();
        tenants.forEach((name, tenant) -> {
            tenant.tick(used.getOrDefault(name, TenantUse.NOTHING), nodes, nowNanos);
            TenantUse toTell = tenant.isLimited() ? tenant.toTell(repeats) : null;
            if (toTell != null) {
                lines.add(new Line(name, toTell));
            }
        });
        return TenantReport.encode(lines);
    }

    /** Another node has told what tenants use there. */
    public void told(String node, byte[] report) {
        long nowNanos = System.nanoTime();
        try {
            for (Line line : TenantReport.decode(report)) {
                Tenant tenant = tenants.get(line.tenant());
                if (tenant != null) {
                    tenant.said(node, line.use(), nowNanos);
                }
            }
        } catch (UnreadableRecordException e) {
            LOG.debug("what {} says of tenants cannot be read", node, e);
        }
    }
}
