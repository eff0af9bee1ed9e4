package io.tributary.cluster.kafka.shard;

import io.tributary.persistence.shard.LogRecord;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The records of a node that is the only one of its cluster. Nobody else appends, so a record that Kafka has
 * acknowledged is the next one of its shard: it is handed out then, and read back some time later, many at once, which
 * shows whether it is the log's. Should somebody else append nevertheless, offsets show it, and what lies between is
 * read first. Confined to the polling thread, unless a method says otherwise.
 *
 * <p>Decided in docs/decisions/0021-a-node-alone-folds-what-it-appended.md.
 */
final class EarlyRecords {
    /** How often Kafka is asked for what was handed out early. */
    private static final Duration PACE = Duration.ofMillis(50);

    /** How long Kafka may let the polling thread wait while it is asked for what was not handed out. */
    private static final Duration WAIT = Duration.ofMillis(20);

    /** How many records may be handed out of a shard and not be read back. */
    private static final int MOST_UNREAD = 200_000;

    private final ShardCursor[] cursors;
    private final Thread pollingThread;

    /** The shards for which something was acknowledged since the polling thread looked. */
    private final Queue<ShardCursor> told = new ConcurrentLinkedQueue<>();

    private volatile boolean isAlone;
    private volatile boolean isResting;

    /** Whether some shard has records that only Kafka can tell. */
    private boolean isBehind = true;

    /** Whether the consumer may have more of what it has fetched. */
    private boolean hasMore;

    private boolean wasAlone;
    private long polledNanos;

    EarlyRecords(ShardCursor[] cursors, Thread pollingThread) {
        this.cursors = cursors;
        this.pollingThread = pollingThread;
    }

    /** Whether this node is the only one; any thread. */
    void alone(boolean isNowAlone) {
        isAlone = isNowAlone;
        LockSupport.unpark(pollingThread);
    }

    /** Kafka has a record of this node; any thread, in the order of offsets. */
    void acknowledged(int shard, long offset, long timeMillis, byte[] value) {
        ShardCursor cursor = cursors[shard];
        if (isAlone && cursor.acknowledged().add(new LogRecord(offset, LogRecord.NOT_READ_BACK, timeMillis, value))) {
            told.add(cursor);
            if (isResting) {
                LockSupport.unpark(pollingThread);
            }
        }
    }

    /** Hands out what was acknowledged; whether there was any. */
    boolean handOut(BiConsumer<ShardCursor, List<LogRecord>> to) {
        if (wasAlone && !isAlone) {
            for (ShardCursor cursor : cursors) {
                cursor.acknowledged().close();
            }
        }
        wasAlone = isAlone;
        boolean isAny = false;
        for (ShardCursor cursor = told.poll(); cursor != null; cursor = told.poll()) {
            isAny |= handOut(cursor, to);
        }
        return isAny;
    }

    private boolean handOut(ShardCursor cursor, BiConsumer<ShardCursor, List<LogRecord>> to) {
        if (!cursor.isEarly() || !cursor.isReading() || cursor.unread() > MOST_UNREAD) {
            cursor.acknowledged().close();
        }
        List<LogRecord> records = cursor.takeAcknowledged();
        if (!records.isEmpty()) {
            to.accept(cursor, records);
        }
        isBehind |= cursor.acknowledged().hasWaiting();
        return !records.isEmpty();
    }

    /**
     * How long Kafka may let the polling thread wait for records.
     *
     * @param whenOthersAppend that, while this node is not alone
     * @return null when it is not time to ask it
     */
    @Nullable
    Duration poll(Duration whenOthersAppend) {
        if (!wasAlone) {
            return whenOthersAppend;
        }
        if (isBehind) {
            return WAIT;
        }
        return hasMore || System.nanoTime() - polledNanos >= PACE.toNanos() ? Duration.ZERO : null;
    }

    /** Waits until it is time to ask Kafka, or something was acknowledged, or the thread is unparked. */
    void rest() {
        isResting = true;
        if (told.isEmpty()) {
            LockSupport.parkNanos(this, PACE.toNanos() - (System.nanoTime() - polledNanos));
        }
        isResting = false;
    }

    /** Something is to be read that this node has not appended, or not lately. */
    void behind() {
        isBehind = true;
    }

    /**
     * What Kafka had was handed out: finds the shards of which there is no more.
     *
     * @param count how many records that were
     */
    void polled(KafkaConsumer<?, ?> consumer, int count, BiConsumer<ShardCursor, List<LogRecord>> to) {
        polledNanos = System.nanoTime();
        hasMore = count > 0;
        if (!wasAlone) {
            return;
        }
        isBehind = false;
        for (ShardCursor cursor : cursors) {
            if (cursor.isReading()) {
                if (!cursor.acknowledged().isOpen() && cursor.isEarly() && isAtTheEnd(consumer, cursor)) {
                    cursor.acknowledged().open();
                }
                isBehind |= !cursor.acknowledged().isOpen();
                handOut(cursor, to);
            }
        }
    }

    private static boolean isAtTheEnd(KafkaConsumer<?, ?> consumer, ShardCursor cursor) {
        return consumer.currentLag(cursor.partition()).orElse(Long.MAX_VALUE) <= cursor.unread();
    }
}
