package io.tributary.persistence.rocksdb;

import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.Page;
import io.tributary.persistence.shard.LogRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One application's topic, and the one read of it that is not answered. Safe for all threads. */
final class TopicReads implements SequenceAppends.Destination {
    private final RocksDbDatabase database;
    private final RecordSequence sequence;
    private final String id;
    private final AtomicReference<@Nullable Read> latest = new AtomicReference<>();

    TopicReads(RocksDbDatabase database, RecordSequence sequence, String id) {
        this.database = database;
        this.sequence = sequence;
        this.id = id;
    }

    /** Which topic it is, under whatever name. */
    String id() {
        return id;
    }

    /** Which topic it is, and where it ends now. */
    AppTopics.Found found() {
        return new AppTopics.Found(id, sequence.committed());
    }

    @Override
    public RecordSequence sequence() {
        return sequence;
    }

    /**
     * Answers with what there is, or with the next that comes; fails when the topic ends before the position. The read
     * before this one fails if it still waits.
     */
    CompletableFuture<Page> read(long from, int maxRecords, int maxBytes) {
        Read read = new Read(from, maxRecords, maxBytes);
        supersede(read, new StorageException("another read of the same topic came"));
        CompletableFuture<?> _ = read.page.whenComplete((page, failure) -> latest.compareAndSet(read, null));
        long end = sequence.committed();
        if (from > end) {
            read.page.completeExceptionally(
                    new StorageException("the topic ends at " + end + ", before " + from + ", which is to be read"));
        } else {
            readIfThereIsSome();
        }
        return read.page;
    }

    @Override
    public void onCommitted(List<LogRecord> records) {
        readIfThereIsSome();
    }

    /** Begins the read that waits, if there are records for it. Any thread. */
    private void readIfThereIsSome() {
        Read read = latest.get();
        if (read != null && Math.max(read.from, sequence.low()) < sequence.committed() && !read.begun.getAndSet(true)) {
            CompletableFuture<?> _ = database.read(() -> page(read)).whenComplete(read::complete);
        }
    }

    /** Fails the read that waits. */
    void fail(StorageException reason) {
        supersede(null, reason);
    }

    private void supersede(@Nullable Read next, StorageException reason) {
        Read before = latest.getAndSet(next);
        if (before != null) {
            before.page.completeExceptionally(reason);
        }
    }

    private Page page(Read read) {
        long from = Math.max(read.from, sequence.low());
        // the database may have more already, and the next read would be behind the end
        long end = sequence.committed();
        List<AppRecord> records = new ArrayList<>();
        long[] bytes = new long[1];
        sequence.read(from, entry -> {
            if (entry.offset() >= end) {
                return false;
            }
            AppRecord decoded = StoredAppRecord.decode(entry);
            records.add(decoded);
            bytes[0] += decoded.message().memoryBytes();
            return records.size() < read.maxRecords && bytes[0] < read.maxBytes;
        });
        if (records.isEmpty()) {
            throw new StorageException("the records were deleted while they were read");
        }
        return new Page(
                records, records.getFirst().position(), records.getLast().position() + 1);
    }

    /** A read, which the database is asked for once there is something. */
    private static final class Read {
        private final long from;
        private final int maxRecords;
        private final int maxBytes;
        private final CompletableFuture<Page> page = new CompletableFuture<>();
        private final AtomicBoolean begun = new AtomicBoolean();

        private Read(long from, int maxRecords, int maxBytes) {
            this.from = from;
            this.maxRecords = maxRecords;
            this.maxBytes = maxBytes;
        }

        private void complete(@Nullable Page read, @Nullable Throwable failure) {
            if (read != null) {
                page.complete(read);
            } else if (failure != null) {
                page.completeExceptionally(failure);
            }
        }
    }
}
