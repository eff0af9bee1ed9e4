package io.tributary.cluster.kafka.ingest;

import io.tributary.common.topic.Utf8Length;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What is under way of one ingest partition. Records wait, are taken, and are done; all below the first that is taken
 * and not done may be committed. What became of a record is told on any thread, all else is confined to the polling
 * thread.
 *
 * <pre>
 * UNNUMBERED --number--> READING --fail--> FAILED (after a while everything is forgotten, and read again)
 * </pre>
 */
final class IngestPartition {
    private static final int UNNUMBERED = -1;
    private static final long UNKNOWN = -1;

    private final TopicPartition partition;
    private final int maxRecords;
    private final long maxBytes;

    // Confined to the polling thread.
    private final Deque<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();
    private int number = UNNUMBERED;
    private long committed = UNKNOWN;
    private long readUpTo = UNKNOWN;
    private Optional<Integer> readEpoch = Optional.empty();

    // Guarded by this.
    private final Deque<PendingRecord> open = new ArrayDeque<>();
    private long openBytes;
    /** All below it was taken, or is not to be. */
    private long takenUpTo = UNKNOWN;

    /** The leader epoch of the last of those below the first that is open. */
    private Optional<Integer> safeEpoch = Optional.empty();

    private long failedNanos;
    private boolean failed;

    IngestPartition(TopicPartition partition, int maxRecords, long maxBytes) {
        this.partition = partition;
        this.maxRecords = maxRecords;
        this.maxBytes = maxBytes;
    }

    TopicPartition partition() {
        return partition;
    }

    boolean isNumbered() {
        return number != UNNUMBERED;
    }

    int number() {
        return number;
    }

    void number(int newNumber) {
        number = newNumber;
    }

    /**
     * Records were read; they wait until they are taken.
     *
     * @param next what is to be read next, with the leader epoch of what is before it
     */
    void add(List<ConsumerRecord<byte[], byte[]>> records, OffsetAndMetadata next) {
        waiting.addAll(records);
        if (readUpTo == UNKNOWN && committed == UNKNOWN && !records.isEmpty()) {
            committed = records.getFirst().offset(); // by whoever read what is before it, with the leader epoch of that
        }
        readUpTo = next.offset();
        readEpoch = next.leaderEpoch();
        skipToEnd();
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** The next record, if there is one and it may be taken now. */
    @Nullable
    ConsumerRecord<byte[], byte[]> peek() {
        ConsumerRecord<byte[], byte[]> next = waiting.peek();
        return next != null && isNumbered() && hasRoomFor(sizeOf(next)) ? next : null;
    }

    /** The record of {@link #peek} is about to be taken. */
    synchronized PendingRecord take(ConsumerRecord<byte[], byte[]> record) {
        PendingRecord taken = new PendingRecord(record, sizeOf(record));
        open.add(taken);
        openBytes += taken.bytes;
        return taken;
    }

    /** It was. */
    void taken() {
        ConsumerRecord<byte[], byte[]> record = waiting.remove();
        synchronized (this) {
            takenUpTo = record.offset() + 1;
        }
        skipToEnd();
    }

    /** It was not. */
    synchronized void untake(PendingRecord taken) {
        open.removeLastOccurrence(taken);
        openBytes -= taken.bytes;
    }

    /** The offset below which everything is safe; negative while nothing was read. */
    synchronized long safeUpTo() {
        return open.isEmpty() ? takenUpTo : open.element().record.offset();
    }

    /** The same, with the leader epoch of what is before it, if that is known. */
    synchronized OffsetAndMetadata safePosition() {
        boolean isAll = open.isEmpty() && takenUpTo == readUpTo;
        return new OffsetAndMetadata(safeUpTo(), isAll ? readEpoch : safeEpoch, Integer.toString(number));
    }

    /** The offset that is to be read next; negative while nothing was read. */
    long readUpTo() {
        return readUpTo;
    }

    /** How many records were read that are not safe. */
    long unsafe() {
        long safe = safeUpTo();
        return safe == UNKNOWN ? 0 : readUpTo - safe;
    }

    /**
     * What is to be committed, or null when nothing has changed. It has the number: a partition of a topic that is
     * created again is another one.
     */
    @Nullable
    OffsetAndMetadata uncommitted() {
        long safe = safeUpTo();
        return safe == UNKNOWN || safe == committed ? null : safePosition();
    }

    void committed(long offset) {
        committed = offset;
    }

    /** The last commit did not work, or was of another topic. */
    void forgetCommitted() {
        committed = UNKNOWN;
    }

    /** Gives up what waits; what was taken is still waited for. */
    void dropWaiting() {
        waiting.clear();
    }

    /** Whether a record failed that long ago at least. */
    synchronized boolean isFailedSince(Duration pause) {
        return failed && System.nanoTime() - failedNanos >= pause.toNanos();
    }

    synchronized boolean isFailed() {
        return failed;
    }

    /** Waits until everything that was taken is safe, but not beyond the deadline. */
    synchronized void awaitSafe(long deadlineNanos) {
        long left = deadlineNanos - System.nanoTime();
        while (!open.isEmpty() && !failed && left > 0) {
            try {
                wait(Math.max(1, left / 1_000_000));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            left = deadlineNanos - System.nanoTime();
        }
    }

    /** The same partition with nothing under way, to be read from there. */
    IngestPartition restarted(OffsetAndMetadata from) {
        IngestPartition again = new IngestPartition(partition, maxRecords, maxBytes);
        again.committed = committed;
        again.safeEpoch = from.leaderEpoch();
        return again;
    }

    private synchronized boolean hasRoomFor(long bytes) {
        return !failed && open.size() < maxRecords && (open.isEmpty() || openBytes + bytes <= maxBytes);
    }

    /** Offsets behind the last record that no record has, such as those of a transaction's end, are safe with it. */
    private void skipToEnd() {
        if (waiting.isEmpty()) {
            synchronized (this) {
                takenUpTo = Math.max(takenUpTo, readUpTo);
            }
        }
    }

    private static long sizeOf(ConsumerRecord<byte[], byte[]> record) {
        long size = Math.max(0, record.serializedKeySize()) + (long) Math.max(0, record.serializedValueSize());
        for (Header header : record.headers()) {
            size += Utf8Length.of(header.key()) + (header.value() == null ? 0 : header.value().length);
        }
        return size;
    }

    /** A record that the reader has. Any thread. */
    final class PendingRecord {
        private final ConsumerRecord<byte[], byte[]> record;
        private final long bytes;
        private boolean done; // guarded by the partition

        private PendingRecord(ConsumerRecord<byte[], byte[]> record, long bytes) {
            this.record = record;
            this.bytes = bytes;
        }

        ConsumerRecord<byte[], byte[]> record() {
            return record;
        }

        void done() {
            synchronized (IngestPartition.this) {
                done = true;
                while (!open.isEmpty() && open.element().done) {
                    PendingRecord safe = open.remove();
                    openBytes -= safe.bytes;
                    safeEpoch = safe.record.leaderEpoch();
                }
                IngestPartition.this.notifyAll();
            }
        }

        void fail() {
            synchronized (IngestPartition.this) {
                failed = true;
                failedNanos = System.nanoTime();
                IngestPartition.this.notifyAll();
            }
        }
    }
}
