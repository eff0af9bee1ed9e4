package io.tributary.broker.connection;

import io.netty.util.concurrent.ScheduledFuture;
import io.tributary.broker.tenant.TenantConnection;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has a client's message wait, and the client read later, while its tenant's clients publish, together, faster than
 * they may. Confined to the event loop.
 */
final class TenantPace {
    /** How soon another rate counts for a client that waits. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Who asks first when there is something to take again is a matter of luck, so that each has its turn. */
    private static final long SPREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ConnectionContext context;
    private final TenantConnection tenant;
    private final LongSupplier nanoTime;
    private @Nullable ScheduledFuture<?> waiting;

    TenantPace(ConnectionContext context, TenantConnection tenant) {
        this.context = context;
        this.tenant = tenant;
        nanoTime = context::nanoTime;
    }

    /**
     * Counts a message of so many bytes if it may be published now.
     *
     * @return 0 if so, else what {@link #await} needs to know
     */
    long count(long bytes) {
        return tenant.publishes(bytes, nanoTime);
    }

    /** Has the message that was not counted published later, and the client not read before. */
    void await(long nanos, long bytes, Runnable publish) {
        context.gate().close(PauseReason.TENANT_RATE);
        long step = Math.min(nanos, LONGEST_NANOS) + ThreadLocalRandom.current().nextLong(SPREAD_NANOS);
        waiting = context.schedule(step, () -> {
            long more = count(bytes);
            if (more > 0) {
                await(more, bytes, publish);
            } else {
                publish.run();
                context.gate().open(PauseReason.TENANT_RATE);
            }
        });
    }

    /** The client is gone, and its message with it. */
    void stop() {
        if (waiting != null) {
            waiting.cancel(false);
        }
    }
}
