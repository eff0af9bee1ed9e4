package io.tributary.cluster.kafka.shard;

import io.tributary.persistence.shard.LogRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What this node has appended to one shard and Kafka has acknowledged, until the polling thread takes it. Bounded: what
 * it has no room for, and all that follows, is read from Kafka. Closed at first. Safe for all threads.
 */
final class AcknowledgedRecords {
    private static final int MOST_BYTES = 1 << 20;
    /** What a record counts for besides its value, in bytes. */
    private static final int OVERHEAD_BYTES = 64;

    // Guarded by this.
    private final ArrayDeque<LogRecord> waiting = new ArrayDeque<>();
    private int bytes;
    private boolean open;
    /** The highest offset that was acknowledged. */
    private long highest = -1;
    /** Whether the log has lost its end, which the reader has still to find out by reading. */
    private boolean wentBack;

    /** How often {@link #settle} was called; written with the lock. */
    private volatile int settled;

    /**
     * Where the log ends at least.
     *
     * @param settled how often the log was settled by then: it says nothing of one that was since
     */
    record LeastEnd(long offset, int settled) {}

    /**
     * Puts the next record, in the order of acknowledgement.
     *
     * @param least where the log ended at least when the record was sent: below that it is only in a log that has lost
     *     its end since, which the reader may have found out before the record was acknowledged
     * @return whether the polling thread is to be told: it has nothing to look for otherwise
     */
    synchronized boolean add(LogRecord record, LeastEnd least) {
        boolean isBelow = record.offset() < least.offset && least.settled == settled;
        wentBack |= isBelow || record.offset() <= highest;
        highest = record.offset();
        if (!open) {
            return false;
        }
        bytes += sizeOf(record);
        if (wentBack || bytes > MOST_BYTES) {
            close();
            return true;
        }
        waiting.add(record);
        return waiting.size() == 1;
    }

    /** Takes those that come next in the log, from an offset on; forgets those below it. */
    synchronized List<LogRecord> take(long next) {
        List<LogRecord> taken = new ArrayList<>(waiting.size());
        long wanted = next;
        while (!waiting.isEmpty() && waiting.getFirst().offset() <= wanted) {
            LogRecord first = waiting.remove();
            bytes -= sizeOf(first);
            if (first.offset() == wanted) {
                taken.add(first);
                wanted++;
            }
        }
        return taken;
    }

    /** Whether some could not be taken: the log has others before them. */
    synchronized boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    synchronized boolean isOpen() {
        return open;
    }

    /** Keeps what is acknowledged from now on; not in a log that has lost its end. */
    synchronized void open() {
        open = !wentBack;
    }

    /** Forgets all, and what is acknowledged from now on. */
    synchronized void close() {
        open = false;
        waiting.clear();
        bytes = 0;
    }

    /** The reader has found out what the log has lost. */
    synchronized void settle() {
        settled++;
        wentBack = false;
        highest = -1;
        close();
    }

    /** How often {@link #settle} was called. */
    int settled() {
        return settled;
    }

    private static int sizeOf(LogRecord record) {
        return record.value().length + OVERHEAD_BYTES;
    }
}
