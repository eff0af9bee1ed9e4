package io.tributary.broker.connection;

import io.tributary.broker.tenant.TenantConnection;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Has a client read later while its tenant's clients publish, together, faster than they may. Confined to the event
 * loop.
 */
final class TenantPace {
    /** How soon another rate counts for a client that waits. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ConnectionContext context;
    private final TenantConnection tenant;
    private final LongSupplier nanoTime;

    TenantPace(ConnectionContext context, TenantConnection tenant) {
        this.context = context;
        this.tenant = tenant;
        nanoTime = context::nanoTime;
    }

    /** Counts a message of so many bytes. */
    void count(long bytes) {
        long waitNanos = tenant.published(bytes, nanoTime);
        if (waitNanos > 0 && context.gate().close(PauseReason.TENANT_RATE)) {
            await(waitNanos);
        }
    }

    private void await(long nanos) {
        long step = Math.min(nanos, LONGEST_NANOS);
        var _ = context.schedule(step, () -> {
            if (step == nanos || tenant.isPacedAnew() || !tenant.isOpen()) {
                context.gate().open(PauseReason.TENANT_RATE);
            } else {
                await(nanos == Long.MAX_VALUE ? nanos : nanos - step);
            }
        });
    }
}
