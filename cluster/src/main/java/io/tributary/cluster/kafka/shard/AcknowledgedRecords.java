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

    /**
     * Puts the next record, in the order of acknowledgement.
     *
     * @return whether there was none before, so that the polling thread is to be told
     */
    synchronized boolean add(LogRecord record) {
        if (!open) {
            return false;
        }
        bytes += sizeOf(record);
        if (bytes > MOST_BYTES
                || (!waiting.isEmpty() && record.offset() <= waiting.getLast().offset())) {
            close(); // no room, or the log went back
            return false;
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

    /** Keeps what is acknowledged from now on. */
    synchronized void open() {
        open = true;
    }

    /** Forgets all, and what is acknowledged from now on. */
    synchronized void close() {
        open = false;
        waiting.clear();
        bytes = 0;
    }

    private static int sizeOf(LogRecord record) {
        return record.value().length + OVERHEAD_BYTES;
    }
}
