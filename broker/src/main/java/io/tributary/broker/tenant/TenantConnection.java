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
     * The client has published a message.
     *
     * @param nanoTime the time, the same for all event loops
     * @return how long the client is not to be read, in nanoseconds; {@code Long.MAX_VALUE} for as long as the rate is
     *     the same
     */
    public long published(long bytes, LongSupplier nanoTime) {
        counts.received(bytes);
        TenantRate rate = tenant.rate();
        return rate == null ? 0 : take(rate, bytes, nanoTime);
    }

    private long take(TenantRate rate, long bytes, LongSupplier nanoTime) {
        if (rate != paced) {
            paced = rate;
            messagesLeft = 0;
            bytesLeft = 0;
        }
        long forMessages = takeMessage(rate.messages(), nanoTime);
        long forBytes = takeBytes(rate.bytes(), bytes, nanoTime);
        if (forMessages > 0 || forBytes > 0) {
            refused(forMessages > forBytes ? Limit.MESSAGES_PER_SECOND : Limit.BYTES_PER_SECOND);
        }
        return Math.max(forMessages, forBytes);
    }

    private long takeMessage(@Nullable SharedBucket bucket, LongSupplier nanoTime) {
        if (bucket == null) {
            return 0;
        }
        long wait = 0;
        if (messagesLeft == 0) {
            messagesLeft = bucket.batch();
            wait = bucket.take(messagesLeft, nanoTime.getAsLong());
        }
        messagesLeft--;
        return wait;
    }

    private long takeBytes(@Nullable SharedBucket bucket, long bytes, LongSupplier nanoTime) {
        if (bucket == null) {
            return 0;
        }
        long wait = 0;
        if (bytesLeft < bytes) {
            long taken = Math.max(bytes - bytesLeft, bucket.batch());
            bytesLeft += taken;
            wait = bucket.take(taken, nanoTime.getAsLong());
        }
        bytesLeft -= bytes;
        return wait;
    }

    /** Whether another rate holds than that by which {@link #published} said how long to wait. */
    public boolean isPacedAnew() {
        return tenant.rate() != paced;
    }

    /** Whether it was not closed yet. */
    public boolean isOpen() {
        return isOpen;
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
