package io.tributary.broker.tenant;

import org.jspecify.annotations.Nullable;

/**
 * How fast the clients of a tenant may publish at this node, all together. Another one takes its place when a limit
 * changes, or the number of nodes. Any thread.
 */
final class TenantRate {
    private static final int MOST_MESSAGES = 64;
    private static final int MOST_BYTES = 1 << 16;

    private final long messagesPerSecond;
    private final long bytesPerSecond;
    private final @Nullable SharedBucket messages;
    private final @Nullable SharedBucket bytes;

    private TenantRate(long messagesPerSecond, long bytesPerSecond) {
        this.messagesPerSecond = messagesPerSecond;
        this.bytesPerSecond = bytesPerSecond;
        messages = bucket(messagesPerSecond, MOST_MESSAGES);
        bytes = bucket(bytesPerSecond, MOST_BYTES);
    }

    /**
     * A rate; null where nothing is limited.
     *
     * @param messagesPerSecond this node's part; {@code Long.MAX_VALUE} for no limit
     * @param bytesPerSecond the same
     */
    static @Nullable TenantRate of(long messagesPerSecond, long bytesPerSecond) {
        return messagesPerSecond == Long.MAX_VALUE && bytesPerSecond == Long.MAX_VALUE
                ? null
                : new TenantRate(messagesPerSecond, bytesPerSecond);
    }

    private static @Nullable SharedBucket bucket(long perSecond, int mostAtOnce) {
        return perSecond == Long.MAX_VALUE ? null : new SharedBucket(perSecond, mostAtOnce);
    }

    boolean is(long messagesASecond, long bytesASecond) {
        return messagesPerSecond == messagesASecond && bytesPerSecond == bytesASecond;
    }

    /** Null without a limit. */
    @Nullable
    SharedBucket messages() {
        return messages;
    }

    /** Null without a limit. */
    @Nullable
    SharedBucket bytes() {
        return bytes;
    }
}
