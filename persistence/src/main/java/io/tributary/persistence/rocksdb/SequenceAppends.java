package io.tributary.persistence.rocksdb;

import io.tributary.persistence.limit.ByteBudget;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.LogRecord;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * The appends of an adapter to its sequences: bounded in bytes until they are durable, and gathered into blocks, a
 * group at a time. Appends come from any thread; all else happens on the writer thread, callbacks included.
 */
final class SequenceAppends implements CommitParticipant {
    private final RocksDbDatabase database;
    private final InstantSource clock;
    private final int overheadBytes;
    private final ByteBudget budget;

    // Confined to the writer thread.
    private final List<Destination> touched = new ArrayList<>();
    private long stagedBytes;
    private long nowMillis;

    /** A sequence, and the waiters for its records. */
    interface Destination {
        RecordSequence sequence();

        /** These records of the sequence are durable now. Writer thread. */
        void onCommitted(List<LogRecord> records);
    }

    /**
     * Creates it; it is to join the committer.
     *
     * @param overheadBytes what a record takes besides its bytes, about
     */
    SequenceAppends(RocksDbDatabase database, InstantSource clock, int overheadBytes) {
        this.database = database;
        this.clock = clock;
        this.overheadBytes = overheadBytes;
        budget = new ByteBudget(database.options().appendQueueBytes());
    }

    /**
     * Appends a record.
     *
     * @param to asked on the writer thread for where it goes; null when that is gone, and the record with it
     * @param callback told the offset, or -1 when the record went nowhere
     * @return false when there is no room; then nothing happens
     */
    boolean append(Supplier<? extends @Nullable Destination> to, byte[] value, AppendCallback callback) {
        Append append = new Append(to, value, callback);
        if (!budget.tryAcquire(append.bytes())) {
            database.recorder().onRefusal();
            return false;
        }
        database.committer().submit(append);
        return true;
    }

    /** Runs the action once when there is room, at once when that is so now. */
    void onRoom(Runnable action) {
        budget.onRoom(action);
    }

    /** What was appended to a sequence by this group goes nowhere: the sequence is being deleted. Writer thread. */
    void forget(Destination deleted) {
        touched.remove(deleted);
    }

    @Override
    public void beforeCommit(WriteBatch batch) throws RocksDBException {
        for (Destination destination : touched) {
            destination.sequence().putStaged(batch);
        }
    }

    @Override
    public void afterCommit() {
        for (Destination destination : touched) {
            destination.onCommitted(destination.sequence().takeCommitted());
        }
        touched.clear();
        long bytes = stagedBytes;
        stagedBytes = 0;
        budget.release(bytes);
    }

    /** One record on its way into a sequence. */
    private final class Append implements Write {
        private final Supplier<? extends @Nullable Destination> to;
        private final byte[] value;
        private final AppendCallback callback;
        private long offset = -1;

        private Append(Supplier<? extends @Nullable Destination> to, byte[] value, AppendCallback callback) {
            this.to = to;
            this.value = value;
            this.callback = callback;
        }

        @Override
        public int bytes() {
            return value.length + overheadBytes;
        }

        @Override
        public boolean isLittle() {
            return true;
        }

        @Override
        public void stage(WriteBatch batch) {
            stagedBytes += bytes();
            Destination destination = to.get();
            if (destination == null) {
                return;
            }
            if (touched.isEmpty()) {
                nowMillis = clock.millis();
            }
            if (destination.sequence().isClean()) {
                touched.add(destination);
            }
            offset = destination.sequence().add(value, nowMillis);
        }

        @Override
        public void committed() {
            callback.onAppended(offset, null);
        }

        @Override
        public void failed(RuntimeException reason) {
            budget.release(bytes());
            callback.onAppended(-1, reason);
        }
    }
}
