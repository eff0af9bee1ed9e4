package io.tributary.broker.shard;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;
import static io.tributary.common.setting.InvalidSettingException.checkWithin;

import io.tributary.common.setting.InvalidSettingException;
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
 * @param deliveryBytes how much memory may be taken by messages between queues and connections, in bytes, all shards
 *     together: those that connections were handed, and those that are kept because their session is behind
 * @param willBytes how much memory may be taken by the wills of the sessions of this node's shards, in bytes, also of
 *     sessions that are away
 * @param windowMessages how many unacknowledged messages are handed to a connection ahead; of a queue at most half of
 *     its limit, yet 16 messages in any case; of each priority above 0 besides an eighth, or 4
 * @param windowBytes how many bytes of unacknowledged messages are handed to a connection ahead; of a queue at most
 *     half of its limit, and of each priority above 0 besides an eighth, yet one message in any case
 * @param expirySweep how many queued messages of sessions that are away are looked at in a second for whether they have
 *     expired, in all shards together if all were this node's; 0 for none
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
        long deliveryBytes,
        long willBytes,
        int windowMessages,
        int windowBytes,
        int expirySweep,
        QueueLimits queue,
        CatchUpPace catchUp,
        Duration retention) {
    /** The most that one save point may hold; Redis takes no command of more than a million parts. */
    private static final long LARGEST_PART_BYTES = 16 << 20;

    private static final long LEAST_BYTES = 64 << 20;
    private static final int PART_OF_HEAP = 8;

    private static final Duration SHORTEST_RETENTION = Duration.ofSeconds(10);

    public ShardConfig {
        checkAtLeast("threads", threads, 1);
        checkAtLeast("save-point-interval", savePointInterval, Duration.ofMillis(10));
        checkAtLeast("save-point-messages", savePointChanges, 1);
        checkAtLeast("save-point-size", savePointBytes, 1024);
        checkAtLeast("unsaved-size", unsavedBytes, 1024);
        checkAtLeast("delivery-size", deliveryBytes, 1024);
        checkAtLeast("will-size", willBytes, 1024);
        checkWithin("window-messages", windowMessages, 1, 32_767);
        checkAtLeast("window-size", windowBytes, 1024);
        checkAtLeast("expiry-sweep", expirySweep, 0);
        if (!retention.isZero()) {
            checkAtLeast("retention", retention, SHORTEST_RETENTION);
        }
    }

    /** The same with these queues and this pace. */
    public ShardConfig with(QueueLimits newQueue, CatchUpPace newPace) {
        return new ShardConfig(
                threads,
                savePointInterval,
                savePointChanges,
                savePointBytes,
                unsavedBytes,
                deliveryBytes,
                willBytes,
                windowMessages,
                windowBytes,
                expirySweep,
                newQueue,
                newPace,
                retention);
    }

    /** How many bytes may wait for the store in one of so many shards. */
    long unsavedBytesOf(int shardCount) {
        return Math.clamp(unsavedBytes / shardCount, 1024, LARGEST_PART_BYTES);
    }

    /** How many messages to look at in a second in one of so many shards. */
    double expirySweepOf(int shardCount) {
        return (double) expirySweep / shardCount;
    }

    /** An eighth of the heap, and at least 64 MiB. */
    private static long partOfHeap() {
        return Math.max(LEAST_BYTES, Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
    }

    /**
     * A thread for each two cores; a save point after a second, 2,000 messages or 1 MiB; an eighth of the heap each for
     * what waits for the store, what is delivered, and wills; 1,000 messages or 1 MiB ahead; 20,000 a second looked at.
     */
    public static ShardConfig defaults() {
        return new ShardConfig(
                defaultThreads(),
                Duration.ofSeconds(1),
                2_000,
                1 << 20,
                partOfHeap(),
                partOfHeap(),
                partOfHeap(),
                1_000,
                1 << 20,
                20_000,
                QueueLimits.defaults(),
                CatchUpPace.NONE,
                Duration.ZERO);
    }

    private static int defaultThreads() {
        return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder(defaults());
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private int threads;
        private Duration savePointInterval;
        private int savePointMessages;
        private int savePointSize;
        private long unsavedSize;
        private long deliverySize;
        private long willSize;
        private int windowMessages;
        private int windowSize;
        private int expirySweep;
        private QueueLimits queue;
        private CatchUpPace catchUp;
        private Duration retention;

        private Builder(ShardConfig from) {
            threads = from.threads;
            savePointInterval = from.savePointInterval;
            savePointMessages = from.savePointChanges;
            savePointSize = from.savePointBytes;
            unsavedSize = from.unsavedBytes;
            deliverySize = from.deliveryBytes;
            willSize = from.willBytes;
            windowMessages = from.windowMessages;
            windowSize = from.windowBytes;
            expirySweep = from.expirySweep;
            queue = from.queue;
            catchUp = from.catchUp;
            retention = from.retention;
        }

        /** How many threads run the shards; 0 for one for each two cores. */
        public Builder threads(int value) {
            threads = value;
            return this;
        }

        /** The longest time between save points of a shard to which something happened. */
        public Builder savePointInterval(Duration value) {
            savePointInterval = value;
            return this;
        }

        /** How many queued messages bring a save point earlier. */
        public Builder savePointMessages(int value) {
            savePointMessages = value;
            return this;
        }

        /** The size of queued messages, in bytes, that brings a save point earlier. */
        public Builder savePointSize(int value) {
            savePointSize = value;
            return this;
        }

        /** How many bytes may wait for the store, all shards together; 0 for an eighth of the heap, at least 64 MiB. */
        public Builder unsavedSize(long value) {
            unsavedSize = value;
            return this;
        }

        /**
         * How many bytes messages between queues and connections may take, all shards together; 0 for an eighth of the
         * heap, at least 64 MiB.
         */
        public Builder deliverySize(long value) {
            deliverySize = value;
            return this;
        }

        /** How many bytes wills may take, all shards together; 0 for an eighth of the heap, at least 64 MiB. */
        public Builder willSize(long value) {
            willSize = value;
            return this;
        }

        /** How many unacknowledged messages are handed to a connection ahead, at most a part of a queue's limit. */
        public Builder windowMessages(int value) {
            windowMessages = value;
            return this;
        }

        /** How many bytes of unacknowledged messages are handed to a connection ahead, with the same parts. */
        public Builder windowSize(int value) {
            windowSize = value;
            return this;
        }

        /** How many queued messages of sessions that are away are looked at in a second; 0 for none. */
        public Builder expirySweep(int value) {
            expirySweep = value;
            return this;
        }

        /**
         * How long the log keeps records that no save point needs any more. Set for a node of a cluster by its start.
         */
        public Builder retention(Duration value) {
            retention = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public ShardConfig build() {
            return new ShardConfig(
                    threads == 0 ? defaultThreads() : threads,
                    savePointInterval,
                    savePointMessages,
                    savePointSize,
                    unsavedSize == 0 ? partOfHeap() : unsavedSize,
                    deliverySize == 0 ? partOfHeap() : deliverySize,
                    willSize == 0 ? partOfHeap() : willSize,
                    windowMessages,
                    windowSize,
                    expirySweep,
                    queue,
                    catchUp,
                    retention);
        }
    }
}
