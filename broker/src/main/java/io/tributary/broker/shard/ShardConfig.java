package io.tributary.broker.shard;

import java.time.Duration;

/**
 * How the owner of a shard works.
 *
 * @param threads how many threads the node's shards share
 * @param savePointInterval the longest time between save points of a shard to which something happened
 * @param savePointChanges queued messages after which a save point is made earlier, unless an eighth of them are
 *     acknowledged by then
 * @param savePointBytes the size of queued messages, in bytes, after which a save point is made earlier, unless an
 *     eighth of them are acknowledged by then
 * @param unsavedBytes how much memory may be taken by what waits for the store, in bytes, whatever it is: messages,
 *     sessions, wills, removals; all shards together. A shard that has its part of it waiting reads its log no further.
 * @param windowMessages how many unacknowledged messages are handed to a connection ahead
 * @param windowBytes how many bytes of unacknowledged messages are handed to a connection ahead
 * @param queue the limits of each session's queue
 * @param catchUp how fast applications are sent what they missed
 * @param retention how long the log keeps records that no save point needs any more; all sessions are logged again four
 *     times in it, so that the log alone can rebuild them. Zero when the log is cut behind each save point: nothing is
 *     repeated.
 */
public record ShardConfig(
        int threads,
        Duration savePointInterval,
        int savePointChanges,
        int savePointBytes,
        long unsavedBytes,
        int windowMessages,
        int windowBytes,
        QueueLimits queue,
        CatchUpPace catchUp,
        Duration retention) {
    /** The most that one save point may hold; Redis takes no command of more than a million parts. */
    private static final long LARGEST_PART_BYTES = 16 << 20;

    private static final long LEAST_UNSAVED_BYTES = 64 << 20;
    private static final int UNSAVED_PART_OF_HEAP = 8;
    /** How many save points of the configured size may wait where nothing else is said. */
    private static final int SAVE_POINTS = 5;

    private static final long SHORTEST_RETENTION_MILLIS = 10_000;

    public ShardConfig {
        atLeast("threads", threads, 1);
        atLeast("save-point-interval (ms)", savePointInterval.toMillis(), 10);
        atLeast("save-point-changes", savePointChanges, 1);
        atLeast("save-point-bytes", savePointBytes, 1024);
        atLeast("unsaved-size", unsavedBytes, 1024);
        atLeast("window-messages", windowMessages, 1);
        atLeast("window-bytes", windowBytes, 1024);
        if (!retention.isZero()) {
            atLeast("retention (ms)", retention.toMillis(), SHORTEST_RETENTION_MILLIS);
        }
        if (windowMessages > 32_767) {
            throw new IllegalArgumentException("window-messages: " + windowMessages + " is more than 32767");
        }
    }

    /** One for a log of one shard that is cut behind each save point, and without a limit for catching up. */
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
                (long) savePointBytes * SAVE_POINTS,
                windowMessages,
                windowBytes,
                queue,
                CatchUpPace.NONE,
                Duration.ZERO);
    }

    /** The same for a log that keeps its records so long. */
    public ShardConfig withRetention(Duration newRetention) {
        return with(unsavedBytes, catchUp, newRetention);
    }

    /** The same with another pace of catching up. */
    public ShardConfig withCatchUp(CatchUpPace newPace) {
        return with(unsavedBytes, newPace, retention);
    }

    /** The same with another limit of what waits for the store. */
    public ShardConfig withUnsavedBytes(long newUnsavedBytes) {
        return with(newUnsavedBytes, catchUp, retention);
    }

    private ShardConfig with(long newUnsavedBytes, CatchUpPace newPace, Duration newRetention) {
        return new ShardConfig(
                threads,
                savePointInterval,
                savePointChanges,
                savePointBytes,
                newUnsavedBytes,
                windowMessages,
                windowBytes,
                queue,
                newPace,
                newRetention);
    }

    /** How many bytes may wait for the store in one of so many shards. */
    long unsavedBytesOf(int shardCount) {
        return Math.clamp(unsavedBytes / shardCount, 1024, LARGEST_PART_BYTES);
    }

    /** An eighth of the heap, and at least 64 MiB. */
    public static long defaultUnsavedBytes() {
        return Math.max(LEAST_UNSAVED_BYTES, Runtime.getRuntime().maxMemory() / UNSAVED_PART_OF_HEAP);
    }

    /**
     * A thread for each two cores; a save point after a second, 2,000 messages or 1 MiB; an eighth of the heap for what
     * waits for the store; 1,000 messages or 1 MiB ahead.
     */
    public static ShardConfig defaults() {
        return new ShardConfig(
                        Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                        Duration.ofSeconds(1),
                        2_000,
                        1 << 20,
                        1_000,
                        1 << 20,
                        QueueLimits.defaults())
                .withUnsavedBytes(defaultUnsavedBytes());
    }

    private static void atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + ": " + value + " is less than " + least);
        }
    }
}
