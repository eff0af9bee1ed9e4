package io.tributary.broker.tenant;

import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.common.event.Exhausted;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a client of a tenant, in what concerns the tenant: what it may still have, and how fast it may
 * publish. Confined to the event loop of the connection.
 */
public final class TenantConnection {
    private final Tenants tenants;
    private final Tenant tenant;
    private final TenantRecorder.Counts counts;
    private final int others;
    private boolean isOpen = true;

    /** Whether a message waits that was not let through yet. */
    private boolean isWaiting;

    /** The rate of which the rest below was taken. */
    private @Nullable TenantRate paced;

    private long messagesLeft;
    private long bytesLeft;

    TenantConnection(Tenants tenants, Tenant tenant, TenantRecorder.Counts counts, int others) {
        this.tenants = tenants;
        this.tenant = tenant;
        this.counts = counts;
        this.others = others;
    }

    /**
     * Which limits are reached without this connection.
     *
     * @param sessionsHere how many persistent sessions a tenant has in the shards of this node
     */
    public Exhausted exhausted(ToLongFunction<String> sessionsHere) {
        long connections = tenant.limit(Limit.CONNECTIONS);
        long sessions = tenant.limit(Limit.SESSIONS);
        return new Exhausted(
                others + tenant.elsewhere().connections() >= connections,
                sessions != Long.MAX_VALUE
                        && sessionsHere.applyAsLong(tenant.name())
                                        + tenant.elsewhere().sessions()
                                >= sessions);
    }

    /**
     * How many more subscriptions the tenant may have.
     *
     * @param subscriptions how many a tenant has, but for transient sessions of other nodes
     */
    public long roomForSubscriptions(ToLongFunction<String> subscriptions) {
        long limit = tenant.limit(Limit.SUBSCRIPTIONS);
        return limit == Long.MAX_VALUE
                ? limit
                : limit
                        - subscriptions.applyAsLong(tenant.name())
                        - tenant.elsewhere().transientSubscriptions();
    }

    /**
     * The client wants to publish a message, for the first time or again.
     *
     * @param nanoTime the time, the same for all event loops
     * @return 0 when it may, and the message is counted; else in how many nanoseconds it is to ask again, if the rate
     *     is the same then, {@code Long.MAX_VALUE} for never
     */
    public long publishes(long bytes, LongSupplier nanoTime) {
        TenantRate rate = tenant.rate();
        long waitNanos = rate == null ? 0 : take(rate, bytes, nanoTime);
        isWaiting = waitNanos > 0;
        if (!isWaiting) {
            counts.received(bytes);
        }
        return waitNanos;
    }

    private long take(TenantRate rate, long bytes, LongSupplier nanoTime) {
        if (rate != paced) {
            paced = rate;
            messagesLeft = 0;
            bytesLeft = 0;
        }
        SharedBucket messages = rate.messages();
        if (messages != null && messagesLeft == 0) {
            long waitNanos = messages.take(messages.batch(), nanoTime.getAsLong());
            if (waitNanos > 0) {
                return waits(waitNanos, Limit.MESSAGES_PER_SECOND);
            }
            messagesLeft = messages.batch();
        }
        SharedBucket sizes = rate.bytes();
        if (sizes != null && bytesLeft < bytes) {
            long taken = Math.max(bytes - bytesLeft, sizes.batch());
            long waitNanos = sizes.take(taken, nanoTime.getAsLong());
            if (waitNanos > 0) {
                return waits(waitNanos, Limit.BYTES_PER_SECOND);
            }
            bytesLeft += taken;
        }
        messagesLeft -= messages == null ? 0 : 1;
        bytesLeft -= sizes == null ? 0 : bytes;
        return 0;
    }

    private long waits(long nanos, Limit limit) {
        if (!isWaiting) {
            refused(limit);
        }
        return nanos;
    }

    /** The client was sent a message. */
    public void sent(long bytes) {
        counts.sent(bytes);
    }

    /** Something of the client was refused because of a limit. */
    public void refused(Limit limit) {
        counts.refused(limit);
    }

    /** The connection is no more; twice does no harm. */
    public void close() {
        if (isOpen) {
            isOpen = false;
            tenants.left(tenant);
        }
    }
}
