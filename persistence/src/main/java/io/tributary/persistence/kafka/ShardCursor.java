package io.tributary.persistence.kafka;

import io.tributary.persistence.shard.LogRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Where one shard is read. Any thread leaves the latest {@link Request}; all else is confined to the polling thread, which
 * looks at the request before each hand-out.
 */
final class ShardCursor {
    /** The position of a consumer that has to be told one before it reads. */
    static final long UNKNOWN = -1;

    private final TopicPartition partition;
    /** Whether it is in the queue of those whose request the polling thread has to look at. */
    private final AtomicBoolean queued = new AtomicBoolean();

    private volatile Request wanted = new Request(Request.NOTHING);

    // Confined to the polling thread.
    private Request current = wanted;
    private boolean assigned;
    /** The offset of the record that the consumer takes next. */
    private long position = UNKNOWN;
    /** What the reader has or does not want ends below this offset. */
    private long handedFrom;

    ShardCursor(TopicPartition partition) {
        this.partition = partition;
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
        wanted = new Request(Request.NOTHING);
        current = wanted;
    }

    void revoke() {
        assigned = false;
        wanted = new Request(Request.NOTHING);
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
                records.add(new LogRecord(record.offset(), record.timestamp(), record.value()));
            }
        }
        return records;
    }

    void handedOut(List<LogRecord> records) {
        handedFrom = records.getLast().offset() + 1;
    }

    /**
     * What a call of readFrom or pause asked for; the latest one counts. Compared by identity.
     */
    static final class Request {
        private static final long NOTHING = -1;

        private final long offset;

        private Request(long offset) {
            this.offset = offset;
        }

        static Request readFrom(long offset) {
            return new Request(Math.max(0, offset));
        }

        static Request pause() {
            return new Request(NOTHING);
        }

        private long offset() {
            return offset;
        }
    }
}
