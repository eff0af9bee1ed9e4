package io.tributary.persistence.rocksdb;

import io.tributary.persistence.rocksdb.LogBlock.RecordSink;
import io.tributary.persistence.shard.LogRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * One sequence of records with dense offsets within a column: a shard's log, or an application's topic. Its keys are a
 * prefix and the offset of the first record of a {@link LogBlock}.
 *
 * <p>What is truncated is deleted as a range up to the low-water mark, which is stored in the same commit. Reading
 * never begins below it, so that no reader walks over what is deleted, and offsets do not go back when all is deleted.
 */
final class RecordSequence {
    private static final long TRUNCATE_RECORDS = 10_000;
    private static final long TRUNCATE_BYTES = 256 * 1024;

    private final ColumnStore columns;
    private final Column column;
    private final byte[] prefix;
    private final byte[] end;

    // Confined to the writer thread.
    private List<LogRecord> staged = new ArrayList<>();
    private long next;
    private long lastMillis;

    // Written by the writer thread, read by all.
    private volatile long low;
    private volatile long committed;
    private volatile long meanBytes;

    // Shared by all threads.
    private final AtomicLong unwantedBelow = new AtomicLong();
    private final AtomicBoolean truncationQueued = new AtomicBoolean();

    /** Opens the sequence with the prefix, which is empty when nothing was ever written to it. */
    RecordSequence(ColumnStore columns, Column column, byte[] prefix) {
        this.columns = columns;
        this.column = column;
        this.prefix = prefix;
        this.end = Keys.endOf(prefix);
        recover();
    }

    /** Below it nothing is left. */
    long low() {
        return low;
    }

    /** The offset behind the last durable record. */
    long committed() {
        return committed;
    }

    /** The time of the latest record, or 0. Writer thread. */
    long lastMillis() {
        return lastMillis;
    }

    /** Adds a record to the next commit. Writer thread. */
    long add(byte[] value, long nowMillis) {
        if (staged.isEmpty()) {
            lastMillis = Math.max(lastMillis, nowMillis);
        }
        long offset = next++;
        staged.add(new LogRecord(offset, lastMillis, value));
        return offset;
    }

    /** Whether nothing was added since the last commit. Writer thread. */
    boolean isClean() {
        return staged.isEmpty();
    }

    /** Writes what was added since the last commit. Writer thread. */
    void putStaged(WriteBatch batch) throws RocksDBException {
        for (int from = 0; from < staged.size(); ) {
            List<LogRecord> records = staged.subList(from, from + LogBlock.recordsOfBlock(staged, from));
            byte[] block = LogBlock.encode(records);
            batch.put(columns.handle(column), key(records.getFirst().offset()), block);
            meanBytes = block.length / records.size();
            from += records.size();
        }
    }

    /** The added records are durable: hands them out. Writer thread. */
    List<LogRecord> takeCommitted() {
        List<LogRecord> records = staged;
        staged = new ArrayList<>();
        committed = next;
        return records;
    }

    /** Hands durable records to the sink, from the offset on, while it wants more. Any thread of the database. */
    void read(long fromOffset, RecordSink sink) {
        long from = Math.max(fromOffset, low);
        try (Scan scan = columns.scan(column, key(low), end)) {
            boolean valid = scan.floor(key(from)) || scan.first();
            while (valid && LogBlock.decode(scan.value(), Keys.lastLong(scan.key()), from, sink)) {
                valid = scan.next();
            }
        }
    }

    /** Notes that records below the offset are not needed; true when it is time to {@link #truncate}. Any thread. */
    boolean noteUnwanted(long offset) {
        unwantedBelow.accumulateAndGet(offset, Math::max);
        long records = Math.min(offset, committed) - low;
        boolean worthwhile = records >= TRUNCATE_RECORDS || records * meanBytes >= TRUNCATE_BYTES;
        return worthwhile && truncationQueued.compareAndSet(false, true);
    }

    /** Whether there is something to {@link #truncate}, however little. Any thread. */
    boolean hasUnwanted() {
        return Math.min(unwantedBelow.get(), committed) > low;
    }

    /** Deletes records that are not needed, up to the beginning of a block; whether there were any. Writer thread. */
    boolean truncate(WriteBatch batch) throws RocksDBException {
        truncationQueued.set(false);
        long wanted = Math.min(unwantedBelow.get(), committed);
        long target = wanted > low ? blockBoundary(wanted) : low;
        if (target <= low) {
            return false;
        }
        batch.deleteRange(columns.handle(column), key(low), key(target));
        batch.put(columns.handle(Column.META), metaKey(), metaValue(target));
        low = target;
        return true;
    }

    /** Deletes the sequence altogether. Writer thread. */
    void delete(WriteBatch batch) throws RocksDBException {
        batch.deleteRange(columns.handle(column), key(low), end);
        batch.delete(columns.handle(Column.META), metaKey());
        staged.clear();
    }

    /**
     * Drops the files that hold nothing but what was deleted. Any thread of the database.
     *
     * @param below the records whose deletion is on the disk
     */
    void dropFiles(long below) {
        columns.dropFiles(column, prefix, key(below));
    }

    private void recover() {
        byte @Nullable [] mark = columns.get(Column.META, metaKey());
        if (mark != null) {
            low = ByteBuffer.wrap(mark).getLong(0);
            lastMillis = ByteBuffer.wrap(mark).getLong(Long.BYTES);
        }
        next = low;
        try (Scan scan = columns.scan(column, key(low), end)) {
            if (scan.last()) {
                byte[] block = scan.value();
                next = Keys.lastLong(scan.key()) + LogBlock.recordCount(block);
                lastMillis = Math.max(lastMillis, LogBlock.timeMillis(block));
                meanBytes = block.length / LogBlock.recordCount(block);
            }
        }
        committed = next;
    }

    /** The highest beginning or end of a block that is not behind the offset. */
    private long blockBoundary(long offset) {
        try (Scan scan = columns.scan(column, key(low), end)) {
            if (!scan.floor(key(offset))) {
                return low;
            }
            long first = Keys.lastLong(scan.key());
            long behind = first + LogBlock.recordCount(scan.value());
            return behind <= offset ? behind : first;
        }
    }

    private byte[] key(long offset) {
        return Keys.withLong(prefix, offset);
    }

    private byte[] metaKey() {
        return Keys.withBytes(Keys.prefix('l', column.name()), prefix);
    }

    private byte[] metaValue(long newLow) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(newLow)
                .putLong(lastMillis)
                .array();
    }
}
