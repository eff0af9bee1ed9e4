package io.tributary.persistence.rocksdb;

import io.tributary.persistence.audit.AuditLog;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * The audit log in the embedded database. The oldest entries go when they are too old, or all take more than a limit;
 * each entry says how many bytes there were up to it, so that no start has to count them. Positions are dense.
 */
public final class RocksDbAuditLog implements AuditLog {
    private static final long MOST_BYTES = 1L << 30;
    private static final int TRIMMED_AT_ONCE = 100;
    private static final byte[] PREFIX = {'a'};
    private static final int HEAD_BYTES = 2 * Long.BYTES;

    private final RocksDbDatabase database;
    private final InstantSource clock;
    private final long mostBytes;
    private volatile boolean closed;

    // Written by the writer thread alone.
    private volatile long first;
    private volatile long next;
    private long bytesUpToNext;

    /**
     * Creates it on an open database.
     *
     * @param clock the time of the entries
     */
    public RocksDbAuditLog(RocksDbDatabase database, InstantSource clock) {
        this(database, clock, MOST_BYTES);
    }

    RocksDbAuditLog(RocksDbDatabase database, InstantSource clock, long mostBytes) {
        this.database = database;
        this.clock = clock;
        this.mostBytes = mostBytes;
        try (Scan scan = database.columns().scan(Column.AUDIT, PREFIX, Keys.endOf(PREFIX))) {
            if (scan.last()) {
                next = Keys.lastLong(scan.key()) + 1;
                bytesUpToNext = ByteBuffer.wrap(scan.value()).getLong(Long.BYTES);
                boolean _ = scan.first();
                first = Keys.lastLong(scan.key());
            }
        }
    }

    @Override
    public CompletionStage<@Nullable Void> append(byte[] entry) {
        Append append = new Append(entry);
        if (closed) {
            append.failed(new StorageException("the audit log is closed"));
        } else if (entry.length > LARGEST_ENTRY_BYTES) {
            append.failed(new StorageException("an entry of " + entry.length + " bytes is too long"));
        } else {
            database.committer().submit(append);
        }
        return append.done;
    }

    @Override
    public CompletionStage<List<Entry>> read(long before, int most) {
        return database.read(() -> {
            long end = Math.min(before, next);
            long begin = Math.max(first, end - most);
            List<Entry> entries = new ArrayList<>();
            try (Scan scan = database.columns().scan(Column.AUDIT, PREFIX, Keys.endOf(PREFIX))) {
                boolean valid = scan.ceiling(Keys.withLong(PREFIX, begin));
                while (valid && Keys.lastLong(scan.key()) < end) {
                    entries.add(entry(scan.key(), scan.value()));
                    valid = scan.next();
                }
            }
            Collections.reverse(entries);
            return entries;
        });
    }

    @Override
    public void close() {
        closed = true;
        database.committer().drain();
    }

    private static Entry entry(byte[] key, byte[] value) {
        byte[] bytes = new byte[value.length - HEAD_BYTES];
        ByteBuffer from = ByteBuffer.wrap(value);
        long timeMillis = from.getLong();
        from.position(HEAD_BYTES).get(bytes);
        return new Entry(Keys.lastLong(key), timeMillis, bytes);
    }

    /** An entry on its way into the database. */
    private final class Append implements Write {
        private final byte[] bytes;
        private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

        private Append(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public int bytes() {
            return HEAD_BYTES + bytes.length;
        }

        @Override
        public void stage(WriteBatch batch) throws RocksDBException {
            ColumnFamilyHandle column = database.columns().handle(Column.AUDIT);
            long now = clock.millis();
            long position = next;
            long upToHere = bytesUpToNext + bytes();
            batch.put(
                    column,
                    Keys.withLong(PREFIX, position),
                    ByteBuffer.allocate(bytes())
                            .putLong(now)
                            .putLong(upToHere)
                            .put(bytes)
                            .array());
            bytesUpToNext = upToHere;
            next = position + 1;
            trim(batch, column, now - Duration.ofDays(RETENTION_DAYS).toMillis());
        }

        /** What this group wrote is not in the database yet, and stays. */
        private void trim(WriteBatch batch, ColumnFamilyHandle column, long oldestMillis) throws RocksDBException {
            try (Scan scan = database.columns().scan(Column.AUDIT, PREFIX, Keys.endOf(PREFIX))) {
                boolean valid = scan.ceiling(Keys.withLong(PREFIX, first));
                for (int left = TRIMMED_AT_ONCE; valid && left > 0; left--) {
                    ByteBuffer head = ByteBuffer.wrap(scan.value());
                    boolean isTooOld = head.getLong() < oldestMillis;
                    if (!isTooOld && bytesUpToNext - head.getLong() < mostBytes) {
                        return;
                    }
                    batch.delete(column, scan.key());
                    first = Keys.lastLong(scan.key()) + 1;
                    valid = scan.next();
                }
            }
        }

        @Override
        public void committed() {
            done.complete(null);
        }

        @Override
        public void failed(RuntimeException reason) {
            done.completeExceptionally(reason);
        }
    }
}
