package io.tributary.cluster.kafka.shard;

import io.tributary.persistence.shard.LogRecord;
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

    // Confined to the polling thread.
    private Request current = wanted;
    private boolean assigned;
    /** The offset of the record that the consumer takes next. */
    private long position = UNKNOWN;
    /** What the reader has or does not want ends below this offset. */
    private long handedFrom;
    /** The leader epoch of the record before that, or {@link LogRecord#NO_LEADER}. */
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
        wanted = request;
        return !queued.getAndSet(true);
    }

    void assign() {
        assigned = true;
        position = UNKNOWN;
        wanted = new Request(Request.NOTHING, LogRecord.NO_LEADER);
        current = wanted;
    }

    void revoke() {
        assigned = false;
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
        return leaderEpoch == LogRecord.NO_LEADER ? Optional.empty() : Optional.of(leaderEpoch);
    }

    /** Nothing is read until the next request. */
    void stop() {
        current = new Request(Request.NOTHING, LogRecord.NO_LEADER);
        position = UNKNOWN;
    }

    boolean isAt(long offset) {
        return position == offset;
    }

    void moveTo(long offset) {
        position = offset;
    }

    /** The records among those that the consumer took which the reader is to get, in their order; maybe none. */
    List<LogRecord> take(List<ConsumerRecord<byte[], byte[]>> polled) {
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
