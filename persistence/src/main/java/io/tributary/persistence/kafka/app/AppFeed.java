package io.tributary.persistence.kafka.app;

import io.tributary.common.event.QueueKind;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.kafka.KafkaRecorder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node reads of one partition: a window of records that were read ahead, and the reads that wait. Reads come from
 * any thread, records from that of the {@link AppConsumer}, which also looks here for where it is to read. A feed that has
 * ended stays so; whoever reads on makes another.
 */
abstract class AppFeed {
    /** Instead of a position: the consumer goes on where it is. */
    static final long NO_SEEK = -1;

    /** Why a read fails that wants another topic. */
    static final String IS_ANOTHER = "the topic is another one";

    private static final Logger LOG = LoggerFactory.getLogger(AppFeed.class);

    private final TopicPartition partition;
    private final KafkaRecorder recorder;
    /** Whether it is in the queue of those that the consumer has to look at. */
    private final AtomicBoolean queued = new AtomicBoolean();

    private volatile @Nullable String id;

    AppFeed(TopicPartition partition, KafkaRecorder recorder) {
        this.partition = partition;
        this.recorder = recorder;
    }

    /** Which topic it reads; null as long as that is not known, and nothing is handed out. */
    @Nullable
    final String id() {
        return id;
    }

    /** It is known which topic it reads. */
    void identify(String newId) {
        id = newId;
    }

    final TopicPartition partition() {
        return partition;
    }

    final KafkaRecorder recorder() {
        return recorder;
    }

    final AtomicBoolean queued() {
        return queued;
    }

    /** Answers the read, now or later; false when the feed has ended. */
    abstract boolean read(AppRead read);

    /** Records came, beginning where the consumer was sent last; consumer thread. */
    abstract void take(List<ConsumerRecord<byte[], byte[]>> polled);

    /** Where the consumer is to go, once, or {@link #NO_SEEK}; consumer thread. */
    abstract long takeSeek();

    /** Whether the consumer is to hold back for now. */
    abstract boolean isFull();

    /** The position that was to be read is not between the partition's begin and end, or no more. */
    abstract void outOfRange(long begin, long end);

    /** Ends it if nobody has read for long. */
    abstract boolean endIfIdle(long nowNanos);

    /** Ends it: what waits fails. */
    abstract void end(String reason);

    abstract boolean hasEnded();

    /**
     * What can be read of the records.
     *
     * @param owner the client whose topic it is, or null when several share it
     */
    final List<AppRecord> decode(List<ConsumerRecord<byte[], byte[]>> polled, @Nullable String owner) {
        List<AppRecord> records = new ArrayList<>(polled.size());
        for (ConsumerRecord<byte[], byte[]> each : polled) {
            AppRecord record = decode(each, owner);
            if (record != null) {
                records.add(record);
            }
        }
        recorder.onRecords(records.size());
        return records;
    }

    private @Nullable AppRecord decode(ConsumerRecord<byte[], byte[]> record, @Nullable String owner) {
        try {
            AppRecordFormat.Decoded decoded = AppRecordFormat.decode(record, owner);
            Recipient recipient = decoded.recipient();
            if (recipient == null) {
                if (owner == null) {
                    throw new UnreadableRecordException("the record does not say for which client it is");
                }
                recipient = new Recipient(
                        owner, AppRecord.ANY_SESSION, decoded.message().qos(), false, List.of(), null, QueueKind.TOPIC);
            }
            return new AppRecord(record.offset(), record.timestamp(), decoded.message(), recipient, decoded.source());
        } catch (UnreadableRecordException e) {
            recorder.onUnreadableRecord();
            LOG.debug("{} at {} is skipped", partition, record.offset(), e);
            return null;
        }
    }
}
