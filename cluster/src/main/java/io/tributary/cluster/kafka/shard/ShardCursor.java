package io.tributary.cluster.kafka.shard;

import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Where one shard is read. Any thread leaves the latest {@link Request}; all else is confined to the polling thread,
 * which looks at the request before each hand-out.
 */
final class ShardCursor {
    /** The position of a consumer that has to be told one before it reads. */
    static final long UNKNOWN = -1;

    private static final byte[] NOTHING = {};

    private final TopicPartition partition;
    /** Whether it is in the queue of those whose request the polling thread has to look at. */
    private final AtomicBoolean queued = new AtomicBoolean();

    private volatile Request wanted = new Request(Request.NOTHING, LogRecord.NO_LEADER);

    /** Whether the reader takes records that are not read back yet. */
    private volatile boolean isEarly;

    private final AcknowledgedRecords acknowledged = new AcknowledgedRecords();

    // Written by the polling thread, read by all.
    private volatile boolean assigned;
    /** The offset of the record that the consumer takes next. */
    private volatile long position = UNKNOWN;
    /** The last records that were read and have one leader. */
    private volatile Led led = Led.NOTHING;

    // Confined to the polling thread.
    private Request current = wanted;
    /** What the reader has or does not want ends below this offset. */
    private long handedFrom;
    /** What was handed out and is still to be read: the records from the position on. */
    private final HandedOutEarly unread = new HandedOutEarly();
    /** The first of them that is not in the log, or {@link #UNKNOWN}. */
    private long lostAt = UNKNOWN;
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
        isEarly = false;
        wanted = request;
        return !queued.getAndSet(true);
    }

    /** The reader takes records that are not read back yet, until the next request; any thread. */
    void allowEarly() {
        isEarly = true;
    }

    boolean isEarly() {
        return isEarly;
    }

    /** What Kafka has acknowledged. */
    AcknowledgedRecords acknowledged() {
        return acknowledged;
    }

    /** How many records were handed out and are still to be read. */
    int unread() {
        return unread.size();
    }

    void assign() {
        assigned = true;
        moveTo(UNKNOWN);
        isEarly = false;
        wanted = new Request(Request.NOTHING, LogRecord.NO_LEADER);
        current = wanted;
    }

    void revoke() {
        assigned = false;
        moveTo(UNKNOWN);
        isEarly = false;
        wanted = new Request(Request.NOTHING, LogRecord.NO_LEADER);
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
            leaderEpoch = current.leaderEpoch();
        }
        return true;
    }

    /** Whether the current request asks for records. */
    boolean isReading() {
        return assigned && current.offset() != Request.NOTHING;
    }

    /** The lowest offset that the reader has not seen yet. */
    long next() {
        return handedFrom;
    }

    /** The leader epoch of the record before {@link #next}, if it is known. */
    Optional<Integer> leaderEpoch() {
        return leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch);
    }

    /** Nothing is read until the next request. */
    void stop() {
        current = new Request(Request.NOTHING, LogRecord.NO_LEADER);
        moveTo(UNKNOWN);
    }

    /** Whether the consumer need not be moved for records from an offset on: it is there, or reads back up to there. */
    boolean goesOn(long offset) {
        return position != UNKNOWN && position <= offset && offset <= position + unread.size();
    }

    /** The consumer is moved. */
    void moveTo(long offset) {
        position = offset;
        unread.clear();
        lostAt = UNKNOWN;
        acknowledged.close();
    }

    /** The records that Kafka has acknowledged, as far as they come next in the log. */
    List<LogRecord> takeAcknowledged() {
        return isReading() && current == wanted && handedFrom == position + unread.size()
                ? acknowledged.take(handedFrom)
                : List.of();
    }

    /** The first record that was handed out early and is not in the log, or {@link #UNKNOWN}. */
    long lostAt() {
        return lostAt;
    }

    /** See {@link ShardLog#leaderEpoch}; any thread. */
    int leaderEpoch(long offset) {
        Led read = led;
        if (read.from <= offset && offset <= read.upTo) {
            return read.leaderEpoch;
        }
        long next = position;
        boolean isToCome = assigned && isEarly && wanted.offset != Request.NOTHING && next != UNKNOWN && offset >= next;
        return isToCome ? LogRecord.NOT_READ_BACK : LogRecord.NO_LEADER;
    }

    /** The records among those that the consumer took which the reader is to get, in their order; maybe none. */
    List<LogRecord> take(List<ConsumerRecord<byte[], byte[]>> polled) {
        if (!readBack(polled)) {
            return List.of();
        }
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

    /** Looks whether what was handed out early is in the log. */
    private boolean readBack(List<ConsumerRecord<byte[], byte[]>> polled) {
        long next = position;
        for (ConsumerRecord<byte[], byte[]> record : polled) {
            if (unread.size() == 0) {
                return true;
            }
            unread.skip((int) Math.min(record.offset() - next, unread.size())); // they were deleted
            if (unread.size() > 0 && !unread.readBack(record.timestamp(), record.value())) {
                lostAt = record.offset();
                return false;
            }
            next = record.offset() + 1;
        }
        return true;
    }

    private void noteLeader(List<ConsumerRecord<byte[], byte[]>> polled) {
        if (!isEarly) {
            return;
        }
        Optional<Integer> leader = polled.getLast().leaderEpoch();
        int first = polled.size() - 1;
        while (first > 0 && polled.get(first - 1).leaderEpoch().equals(leader)) {
            first--;
        }
        int epoch = leader.orElse(LogRecord.NO_LEADER);
        long from = polled.get(first).offset();
        Led before = led;
        boolean goesOn = first == 0 && before.leaderEpoch == epoch && before.upTo + 1 == from;
        led = new Led(goesOn ? before.from : from, polled.getLast().offset(), epoch);
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
        records.forEach(unread::add);
        handedOut(records);
    }

    /** Records that were read, and have one leader. */
    private record Led(long from, long upTo, int leaderEpoch) {
        private static final Led NOTHING = new Led(0, -1, LogRecord.NO_LEADER);
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
