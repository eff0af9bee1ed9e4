package io.tributary.cluster.kafka.shard;

import io.tributary.cluster.kafka.ShardMark;
import io.tributary.cluster.kafka.shard.AcknowledgedRecords.LeastEnd;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Where one shard is read, and what of it the reader has. Of the records up to the next one to be handed out, those
 * from the position on came early and are still to be read back:
 *
 * <pre>
 * read, or read back | handed out early, unread | acknowledged, not handed out
 *                 position           next() = position + unread()
 * </pre>
 *
 * <p>After a request that goes back a little, next() is lower; nothing comes early until it is there again. Any thread
 * leaves the latest {@link Request}, at which the polling thread looks before each hand-out. Confined to the polling
 * thread, unless a method says otherwise.
 */
final class ShardCursor {
    /** The position of a consumer that has to be told one before it reads. */
    static final long UNKNOWN = -1;

    private static final byte[] NOTHING = {};
    /** Spreads times over all bits. */
    private static final long FACTOR = 0x9E3779B97F4A7C15L;

    private final TopicPartition partition;
    /** Whether it is in the queue of those whose request the polling thread has to look at. */
    private final AtomicBoolean queued = new AtomicBoolean();

    private volatile Request wanted = Request.pause();

    /** Whether the reader takes records that are not read back yet. */
    private volatile boolean allowsEarly;

    private final AcknowledgedRecords acknowledged = new AcknowledgedRecords();

    // Written by the polling thread, read by all.
    private volatile boolean assigned;
    /** The offset of the record that the consumer takes next. */
    private volatile long position = UNKNOWN;
    /** What the reader has or does not want ends below this offset. */
    private volatile long handedFrom;
    /** The last records that were read, and whose they are. */
    private volatile Leaders leaders = Leaders.NONE;

    // Confined to the polling thread.
    private Request current = wanted;
    /** When some of what was handed out early was read back last, or there was nothing to be read back. */
    private long unreadNanos;
    /** A fingerprint of each record that was handed out and is still to be read back, from the position on. */
    private final ArrayDeque<Long> unread = new ArrayDeque<>();
    /** The leader epoch of the record before that, negative when it is not known. */
    private int leaderEpoch = LogRecord.NO_LEADER;

    private final Consumer<ConsumerRecord<byte[], byte[]>> onForeign;

    /** @param onForeign told of records that are none of ours, which are handed out as ones that say nothing */
    ShardCursor(TopicPartition partition, Consumer<ConsumerRecord<byte[], byte[]>> onForeign) {
        this.partition = partition;
        this.onForeign = onForeign;
    }

    TopicPartition partition() {
        return partition;
    }

    int shard() {
        return partition.partition();
    }

    /**
     * Leaves a request; any thread.
     *
     * @return whether the polling thread has yet to be told that there is one
     */
    boolean request(Request request) {
        allowsEarly = false;
        wanted = request;
        return !queued.getAndSet(true);
    }

    /** The reader takes records that are not read back yet, until the next request; any thread. */
    void allowEarly() {
        allowsEarly = true;
    }

    /** Whether it does; any thread. */
    boolean allowsEarly() {
        return allowsEarly;
    }

    /** What Kafka has acknowledged; any thread. */
    AcknowledgedRecords acknowledged() {
        return acknowledged;
    }

    /** How many records were handed out and are still to be read. */
    int unread() {
        return unread.size();
    }

    void assign() {
        reset(true);
    }

    void revoke() {
        reset(false);
    }

    private void reset(boolean isNowAssigned) {
        assigned = isNowAssigned;
        forget();
        allowsEarly = false;
        wanted = Request.pause();
        current = wanted;
    }

    boolean isAssigned() {
        return assigned;
    }

    /** Makes the latest request the current one; whether it is another one, of a shard that is assigned. */
    boolean takeRequest() {
        queued.set(false);
        Request latest = wanted;
        if (!assigned || latest == current) {
            return false;
        }
        current = latest;
        if (isReading()) {
            handedFrom = current.offset();
            leaderEpoch = current.leaderEpoch() == LogRecord.NOT_READ_BACK
                    ? leaders.of(handedFrom - 1)
                    : current.leaderEpoch();
        }
        return true;
    }

    /** Whether the current request asks for records. */
    boolean isReading() {
        return assigned && current.offset() != Request.NOTHING;
    }

    /** The lowest offset that the reader has not seen yet; any thread. */
    long next() {
        return handedFrom;
    }

    /** Where the log ends at least: what is sent now comes there or behind it; any thread. */
    LeastEnd leastEnd() {
        int settled = acknowledged.settled(); // first: a reader that finds out a loss changes the offset before
        return new LeastEnd(handedFrom, settled);
    }

    /** The leader epoch of the record before {@link #next}, if it is known. */
    Optional<Integer> leaderEpochBefore() {
        return leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch);
    }

    /** Nothing is read until the next request. */
    void stop() {
        current = Request.pause();
        handedFrom = 0; // where the log ends is not known
        forget();
    }

    private void forget() {
        moveTo(UNKNOWN);
        leaders = Leaders.NONE;
        acknowledged.settle();
    }

    /** Whether the consumer need not be moved for records from an offset on: it is there, or reads back up to there. */
    boolean goesOn(long offset) {
        return position != UNKNOWN && position <= offset && offset <= position + unread.size();
    }

    /** The consumer is moved. */
    void moveTo(long offset) {
        position = offset;
        unread.clear();
        acknowledged.close();
    }

    /** The records that Kafka has acknowledged, as far as they come next in the log. */
    List<LogRecord> takeAcknowledged() {
        return isReading() && current == wanted && handedFrom == position + unread.size()
                ? acknowledged.take(handedFrom)
                : List.of();
    }

    /** See {@link ShardLog#leaderEpoch}; any thread. */
    int leaderEpochOf(long offset) {
        long next = position; // before the leaders, which are written first
        int known = leaders.of(offset);
        if (known != LogRecord.NO_LEADER) {
            return known;
        }
        boolean isToCome =
                assigned && allowsEarly && wanted.offset != Request.NOTHING && next != UNKNOWN && offset >= next;
        return isToCome ? LogRecord.NOT_READ_BACK : LogRecord.NO_LEADER;
    }

    /**
     * Looks whether what was handed out early is among the records that the consumer took.
     *
     * @return the first offset that has another record, or {@link #UNKNOWN} for none
     */
    long readBack(List<ConsumerRecord<byte[], byte[]>> polled) {
        if (!unread.isEmpty()) {
            unreadNanos = System.nanoTime();
        }
        long next = position;
        for (ConsumerRecord<byte[], byte[]> record : polled) {
            for (; next < record.offset() && !unread.isEmpty(); next++) {
                unread.remove(); // a record that retention has deleted
            }
            if (unread.isEmpty()) {
                return UNKNOWN;
            }
            if (unread.remove() != fingerprint(record.timestamp(), record.value())) {
                return record.offset();
            }
            next = record.offset() + 1;
        }
        return UNKNOWN;
    }

    private static long fingerprint(long timeMillis, byte @Nullable [] value) {
        return timeMillis * FACTOR ^ Arrays.hashCode(value);
    }

    /** Whether nothing was read back for some time of what is to be; not again for as long. */
    boolean waitsForUnread(Duration time) {
        if (unread.isEmpty()) {
            return false;
        }
        long now = System.nanoTime();
        boolean isLong = now - unreadNanos >= time.toNanos();
        if (isLong) {
            unreadNanos = now;
        }
        return isLong;
    }

    /** Whether there is something to be read back, and the log, which begins there, has its beginning. */
    boolean readsBackFrom(long begin) {
        return !unread.isEmpty() && position >= begin;
    }

    /** The records among those that the consumer took which the reader is to get, in their order; maybe none. */
    List<LogRecord> take(List<ConsumerRecord<byte[], byte[]>> polled) {
        noteLeader(polled);
        position = polled.getLast().offset() + 1;
        if (!isReading() || current != wanted) {
            return List.of();
        }
        List<LogRecord> records = new ArrayList<>(polled.size());
        for (ConsumerRecord<byte[], byte[]> record : polled) {
            if (record.offset() >= handedFrom) {
                int epoch = record.leaderEpoch().orElse(LogRecord.NO_LEADER);
                records.add(new LogRecord(record.offset(), epoch, record.timestamp(), valueOf(record)));
            }
        }
        return records;
    }

    private void noteLeader(List<ConsumerRecord<byte[], byte[]>> polled) {
        Leaders noted = leaders;
        if (noted.end != polled.getFirst().offset()) {
            noted = Leaders.from(polled.getFirst().offset());
        }
        for (ConsumerRecord<byte[], byte[]> record : polled) {
            int leader = record.leaderEpoch().orElse(LogRecord.NO_LEADER);
            if (leader != noted.last) {
                noted = noted.changed(record.offset(), leader);
            }
        }
        leaders = noted.upTo(polled.getLast().offset() + 1);
    }

    private byte[] valueOf(ConsumerRecord<byte[], byte[]> record) {
        if (ShardMark.isOn(record)) {
            return record.value();
        }
        onForeign.accept(record);
        return NOTHING;
    }

    void handedOut(List<LogRecord> records) {
        handedFrom = records.getLast().offset() + 1;
        leaderEpoch = records.getLast().leaderEpoch();
    }

    void handedOutEarly(List<LogRecord> records) {
        if (unread.isEmpty()) {
            unreadNanos = System.nanoTime();
        }
        records.forEach(record -> unread.add(fingerprint(record.timeMillis(), record.value())));
        handedOut(records);
    }

    /**
     * The last records that were read: from one offset on of a leader before, from another on of the last one.
     */
    private record Leaders(long from, int before, long change, int last, long end) {
        private static final Leaders NONE = from(0);

        private static Leaders from(long offset) {
            return new Leaders(offset, LogRecord.NO_LEADER, offset, LogRecord.NO_LEADER, offset);
        }

        /** The leader epoch of a record, or {@link LogRecord#NO_LEADER} when it is not among them. */
        private int of(long offset) {
            if (offset < from || offset >= end) {
                return LogRecord.NO_LEADER;
            }
            return offset < change ? before : last;
        }

        private Leaders changed(long offset, int leader) {
            return new Leaders(change, last, offset, leader, offset);
        }

        private Leaders upTo(long newEnd) {
            return new Leaders(from, before, change, last, newEnd);
        }
    }

    /**
     * What a call of readFrom or pause asked for; the latest one counts. Compared by identity.
     */
    static final class Request {
        private static final long NOTHING = -1;

        private final long offset;
        private final int leaderEpoch;

        private Request(long offset, int leaderEpoch) {
            this.offset = offset;
            this.leaderEpoch = leaderEpoch;
        }

        static Request readFrom(long offset, int leaderEpochBefore) {
            return new Request(Math.max(0, offset), leaderEpochBefore);
        }

        static Request pause() {
            return new Request(NOTHING, LogRecord.NO_LEADER);
        }

        private int leaderEpoch() {
            return leaderEpoch;
        }

        private long offset() {
            return offset;
        }
    }
}
