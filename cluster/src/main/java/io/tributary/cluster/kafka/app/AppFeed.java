package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.persistence.app.AppTopics.AppRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node reads of one partition: a window of records that were read ahead, and the reads that wait. Reads come
 * from any thread, records from that of the {@link AppConsumer}, which also looks here for where it is to read. A feed
 * that has ended stays so; a reader that goes on makes another.
 */
abstract class AppFeed {
    /** Instead of a position: the consumer goes on where it is. */
    static final long NO_SEEK = -1;

    /** Why a read fails that wants another topic. */
    static final String IS_ANOTHER = "the topic is another one";

    private static final Logger LOG = LoggerFactory.getLogger(AppFeed.class);
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final TopicPartition partition;
    private final LostEnds lostEnds;
    private final KafkaRecorder recorder;
    private final Consumer<AppFeed> attention;
    final ReadAhead readAhead;
    /** Whether it is in the queue of those that the consumer has to look at. */
    private final AtomicBoolean queued = new AtomicBoolean();

    private volatile @Nullable String id;

    // Guarded by this.
    /** What was read ahead, the oldest first. */
    final ArrayDeque<AppRecord> window = new ArrayDeque<>();
    /** Where the window begins; not known at first. */
    long begin = NO_SEEK;
    /** The position that the consumer reads next. */
    long next;

    private long windowBytes;
    private long seek = NO_SEEK;
    private boolean ended;
    private long usedNanos = System.nanoTime();

    /** @param attention told of the feed when the consumer has to look at it; any thread */
    AppFeed(
            TopicPartition partition,
            LostEnds lostEnds,
            ReadAhead readAhead,
            KafkaRecorder recorder,
            Consumer<AppFeed> attention) {
        this.partition = partition;
        this.lostEnds = lostEnds;
        this.readAhead = readAhead;
        this.recorder = recorder;
        this.attention = attention;
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

    final AtomicBoolean queued() {
        return queued;
    }

    /** Answers the read, now or later; false when the feed has ended. */
    abstract boolean read(AppRead read);

    /**
     * Records came, beginning where the consumer was sent last, or the consumer has passed positions without any, such
     * as the end of a transaction; consumer thread.
     *
     * @param nextPosition the position that the consumer reads next
     */
    abstract void take(List<ConsumerRecord<byte[], byte[]>> polled, long nextPosition);

    /** Where the consumer is to go, once, or {@link #NO_SEEK}; consumer thread. */
    final synchronized long takeSeek() {
        long to = seek;
        seek = NO_SEEK;
        return to;
    }

    /** The consumer is a new one, which is nowhere yet; consumer thread. */
    final synchronized void seekAgain() {
        seek(next);
    }

    /** Whether the consumer is to hold back for now. */
    abstract boolean isFull();

    /** The position that was to be read is not between the partition's begin and end, or no more. */
    abstract void outOfRange(long begin, long end);

    /**
     * Ends the feed when Kafka says that the partition is another one from some position on: it lost its end and has
     * grown past that again. Consumer thread.
     */
    final boolean hasLostEnd(InvalidOffsetException failure) {
        OffsetAndMetadata divergent = failure instanceof LogTruncationException truncated
                ? truncated.divergentOffsets().get(partition)
                : null;
        if (divergent == null) {
            return false;
        }
        List<AppRead> left;
        synchronized (this) {
            lostEnds.lost(partition, divergent.offset()); // before anybody can see that the feed has ended
            ended = true;
            clear();
            left = takeWaiting();
        }
        for (AppRead read : left) {
            if (!lostEnds.tell(partition, read)) {
                read.fail(partition + " has lost its end");
            }
        }
        attend();
        return true;
    }

    /** Ends the feed, for the partition ends before what was read of it. */
    final void endsBefore(long end) {
        lostEnds.lost(partition, end);
        end(partition + " ends before what was read of it");
    }

    /** Ends the feed, for it could not take records: what a reader asks for again is read anew. Consumer thread. */
    final void endsByFailure() {
        end(partition + " could not be read");
        attend();
    }

    /** Ends it if nobody has read for long. */
    final boolean endIfIdle(long nowNanos) {
        synchronized (this) {
            if (isAwaited() || nowNanos - usedNanos < IDLE_NANOS) {
                return false;
            }
        }
        end("nobody reads");
        return true;
    }

    /** Ends the feed: reads that wait fail. */
    final void end(String reason) {
        List<AppRead> left;
        synchronized (this) {
            ended = true;
            clear();
            left = takeWaiting();
        }
        left.forEach(read -> read.fail(reason));
    }

    final synchronized boolean hasEnded() {
        return ended;
    }

    /** Has the consumer look at the feed. */
    final void attend() {
        attention.accept(this);
    }

    /**
     * Decodes records; leaves out records that cannot be read.
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
                        owner,
                        AppRecord.ANY_SESSION,
                        decoded.message().qos(),
                        false,
                        List.of(),
                        null,
                        ClientKind.APPLICATION);
            }
            return new AppRecord(record.offset(), record.timestamp(), decoded.message(), recipient, decoded.source());
        } catch (RuntimeException e) { // whatever others have written, it is no reason to read nothing else
            recorder.onUnreadableRecord();
            LOG.debug("{} at {} is skipped", partition, record.offset(), e);
            return null;
        }
    }

    // With the lock held.

    /** The reads that wait, which wait no more then. */
    abstract List<AppRead> takeWaiting();

    /** Whether a read waits. */
    abstract boolean isAwaited();

    /** Notes that there is a reader; false when the feed has ended. */
    final boolean use() {
        if (!ended) {
            usedNanos = System.nanoTime();
        }
        return !ended;
    }

    /** Whether what the consumer tells is from where it was before, or too late. */
    final boolean isPast() {
        return ended || seek != NO_SEEK;
    }

    /** The consumer is to go to the position; it has to be told by {@link #attend}. */
    final void seek(long position) {
        next = position;
        seek = position;
    }

    final void add(AppRecord record) {
        window.add(record);
        count(record.message().memoryBytes());
    }

    final AppRecord removeOldest() {
        AppRecord record = window.remove();
        count(-record.message().memoryBytes());
        return record;
    }

    void clear() {
        window.clear();
        count(-windowBytes);
    }

    final long windowBytes() {
        return windowBytes;
    }

    private void count(long bytes) {
        windowBytes += bytes;
        readAhead.add(bytes);
    }
}
