package io.tributary.cluster.kafka.shard;

import io.tributary.cluster.kafka.shard.AcknowledgedRecords.LeastEnd;
import io.tributary.persistence.shard.LogRecord;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands out records of the only live node of a cluster before they are read. Nobody else appends, so a record that
 * Kafka has acknowledged is the next one of its shard. Example: the reader has all up to 41; 42 is acknowledged and
 * handed out; then 44 is acknowledged, because another node that is not known yet appended 43; 44 waits until 43 is
 * read. The consumer reads all of it again later, many records at once, and the cursor compares. Confined to the
 * polling thread, unless a method says otherwise.
 *
 * <p>Decided in docs/decisions/0021-the-only-node-folds-what-it-appended.md.
 */
final class EarlyRecords {
    /** How often what was handed out early is read back. */
    private static final Duration PACE = Duration.ofMillis(100);

    /** How long Kafka's answer takes, with all that was there when it was asked. */
    private static final Duration ANSWER = Duration.ofMillis(3);

    /** The longest poll while records of some shard are still to be read first. */
    private static final Duration WAIT = Duration.ofMillis(20);

    /** How many records of a shard may be still to be read back, about: then no more are handed out early. */
    private static final int MOST_UNREAD = 50_000;

    private final ShardCursor[] cursors;
    private final Thread pollingThread;
    private final BooleanSupplier isOnlyNode;
    private final int maxPollRecords;

    /** The shards with acknowledged records that the polling thread has not seen. */
    private final Queue<ShardCursor> unseen = new ConcurrentLinkedQueue<>();

    /** Whether this node was the only one when the polling thread looked last. */
    private boolean wasOnlyNode;

    /** Whether some shard has records that are to be read before others can be handed out early. */
    private boolean isBehind = true;

    /** Whether Kafka was asked a moment ago, and is to be heard. */
    private boolean isAsked;

    private long dueNanos = System.nanoTime();

    /**
     * Creates it.
     *
     * @param isOnlyNode whether no other node appends, as far as is known; any thread
     * @param maxPollRecords how many records the consumer gives at a time
     */
    EarlyRecords(ShardCursor[] cursors, Thread pollingThread, BooleanSupplier isOnlyNode, int maxPollRecords) {
        this.cursors = cursors;
        this.pollingThread = pollingThread;
        this.isOnlyNode = isOnlyNode;
        this.maxPollRecords = maxPollRecords;
    }

    /** Where the log of a shard ends at least: what is sent now comes there or behind it; any thread. */
    LeastEnd leastEnd(int shard) {
        return cursors[shard].leastEnd();
    }

    /**
     * Kafka has a record of this node; any thread, in the order of offsets.
     *
     * @param least what {@link #leastEnd} was before the record was sent
     */
    void onAcknowledged(int shard, LogRecord record, LeastEnd least) {
        ShardCursor cursor = cursors[shard];
        if (cursor.acknowledged().add(record, least)) {
            unseen.add(cursor);
            LockSupport.unpark(pollingThread);
        }
    }

    /** A shard is to be read from elsewhere, or not any more. */
    void onRequest() {
        isBehind = true;
    }

    /** Hands out what was acknowledged; whether there was any. */
    boolean handOut(BiConsumer<ShardCursor, List<LogRecord>> to) {
        boolean isOnlyNodeNow = isOnlyNode.getAsBoolean();
        if (isOnlyNodeNow != wasOnlyNode) {
            wasOnlyNode = isOnlyNodeNow;
            isBehind = true;
            for (ShardCursor cursor : cursors) {
                cursor.acknowledged().close();
            }
        }
        boolean isAny = false;
        for (int left = cursors.length; left > 0; left--) { // or it would never end while more come
            ShardCursor cursor = unseen.poll();
            isAny |= cursor != null && handOut(cursor, to);
        }
        return isAny;
    }

    private boolean handOut(ShardCursor cursor, BiConsumer<ShardCursor, List<LogRecord>> to) {
        if (!mayBeOpen(cursor)) {
            cursor.acknowledged().close();
        }
        List<LogRecord> records = cursor.takeAcknowledged();
        if (!records.isEmpty()) {
            to.accept(cursor, records);
        }
        isBehind |= cursor.isReading()
                && (!cursor.acknowledged().isOpen() || cursor.acknowledged().hasWaiting());
        return !records.isEmpty();
    }

    private static boolean mayBeOpen(ShardCursor cursor) {
        return cursor.isReading() && cursor.allowsEarly() && cursor.unread() <= MOST_UNREAD;
    }

    /**
     * How long the next poll may wait for records.
     *
     * @param whenOthersAppend that, while this node is not the only one
     * @return null when it is not time for a poll
     */
    @Nullable
    Duration nextPoll(Duration whenOthersAppend) {
        if (!wasOnlyNode) {
            return whenOthersAppend;
        }
        if (isBehind) {
            return WAIT;
        }
        return System.nanoTime() - dueNanos >= 0 ? Duration.ZERO : null;
    }

    /** Waits until it is time for a poll, or something was acknowledged, or the thread is unparked. */
    void rest() {
        if (unseen.isEmpty()) {
            LockSupport.parkNanos(this, dueNanos - System.nanoTime());
        }
    }

    /**
     * Notes that Kafka was asked, lets the shards that are read to their end have records early again, and hands out
     * what these have.
     *
     * @param count how many records Kafka had
     */
    void onPolled(KafkaConsumer<?, ?> consumer, int count, BiConsumer<ShardCursor, List<LogRecord>> to) {
        if (!wasOnlyNode) {
            return;
        }
        boolean hasMore = count >= maxPollRecords;
        Duration pause = hasMore ? Duration.ZERO : isAsked ? PACE : ANSWER;
        dueNanos = System.nanoTime() + pause.toNanos();
        isAsked = hasMore ? isAsked : !isAsked;
        isBehind = false;
        for (ShardCursor cursor : cursors) {
            if (!cursor.acknowledged().isOpen() && mayBeOpen(cursor) && isAtTheEnd(consumer, cursor)) {
                cursor.acknowledged().open();
            }
            handOut(cursor, to);
        }
    }

    private static boolean isAtTheEnd(KafkaConsumer<?, ?> consumer, ShardCursor cursor) {
        return consumer.currentLag(cursor.partition()).orElse(Long.MAX_VALUE) <= cursor.unread();
    }
}
