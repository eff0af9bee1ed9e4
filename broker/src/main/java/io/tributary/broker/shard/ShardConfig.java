package io.tributary.broker.shard;

import java.time.Duration;

/**
 * How the owner of a shard works.
 *
 * @param threads how many threads the node's shards share
 * @param savePointInterval the longest time between save points of a shard to which something happened
 * @param savePointChanges queued messages after which a save point is made earlier, unless an eighth of them are acknowledged by then
 * @param savePointBytes the size of queued messages, in bytes, after which a save point is made earlier, unless an eighth of them
 *     are acknowledged by then
 * @param windowMessages how many unacknowledged messages are handed to a connection ahead
 * @param windowBytes how many bytes of unacknowledged messages are handed to a connection ahead
 * @param queue the limits of each session's queue
 * @param catchUp how fast applications are sent what they missed
 * @param retention how long the log keeps records that no save point needs any more; all sessions are logged again four times
 *     in it, so that the log alone can rebuild them. Zero when the log is cut behind each save point: nothing is repeated.
 */
public record ShardConfig(
        int threads,
        Duration savePointInterval,
        int savePointChanges,
        int savePointBytes,
        int windowMessages,
        int windowBytes,
        QueueLimits queue,
        CatchUpPace catchUp,
        Duration retention) {
    private static final long SHORTEST_RETENTION_MILLIS = 10_000;

    public ShardConfig {
        atLeast("threads", threads, 1);
        atLeast("save-point-interval (ms)", savePointInterval.toMillis(), 10);
        atLeast("save-point-changes", savePointChanges, 1);
        atLeast("save-point-bytes", savePointBytes, 1024);
        atLeast("window-messages", windowMessages, 1);
        atLeast("window-bytes", windowBytes, 1024);
        if (!retention.isZero()) {
            atLeast("retention (ms)", retention.toMillis(), SHORTEST_RETENTION_MILLIS);
        }
        if (windowMessages > 32_767) {
            throw new IllegalArgumentException("window-messages: " + windowMessages + " is more than 32767");
        }
    }

    /** One for a log that is cut behind each save point, and without a limit for catching up. */
    public ShardConfig(
            int threads,
            Duration savePointInterval,
            int savePointChanges,
            int savePointBytes,
            int windowMessages,
            int windowBytes,
            QueueLimits queue) {
        this(
                threads,
                savePointInterval,
                savePointChanges,
                savePointBytes,
                windowMessages,
                windowBytes,
                queue,
                CatchUpPace.NONE,
                Duration.ZERO);
    }

    /** The same for a log that keeps its records so long. */
    public ShardConfig withRetention(Duration newRetention) {
        return new ShardConfig(
                threads,
                savePointInterval,
                savePointChanges,
                savePointBytes,
                windowMessages,
                windowBytes,
                queue,
                catchUp,
                newRetention);
    }

    /** The same with another pace of catching up. */
    public ShardConfig withCatchUp(CatchUpPace newPace) {
        return new ShardConfig(
                threads,
                savePointInterval,
                savePointChanges,
                savePointBytes,
                windowMessages,
                windowBytes,
                queue,
                newPace,
                retention);
    }

    /** A thread for each two cores; a save point after a second, 2,000 messages or 1 MiB; 1,000 messages or 1 MiB ahead. */
    public static ShardConfig defaults() {
        return new ShardConfig(
                Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                Duration.ofSeconds(1),
                2_000,
                1 << 20,
                1_000,
                1 << 20,
                QueueLimits.defaults());
    }

    private static void atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + ": " + value + " is less than " + least);
        }
    }
}
