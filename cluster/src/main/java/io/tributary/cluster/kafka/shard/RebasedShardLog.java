package io.tributary.cluster.kafka.shard;

import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * A log whose offsets begin at a base, not at 0: those of the log behind it, and the base. Offsets name sessions,
 * connections and owners, and those of a log that follows another one are to be higher than all of that.
 *
 * <p>Below the base it looks like a log whose records were deleted.
 */
public final class RebasedShardLog implements ShardLog {
    private final ShardLog log;
    private final long base;

    /**
     * Creates one, which closes the log behind it when it is closed.
     *
     * @param base the offset of the first record
     */
    public RebasedShardLog(ShardLog log, long base) {
        this.log = log;
        this.base = base;
    }

    @Override
    public int shardCount() {
        return log.shardCount();
    }

    @Override
    public int roomBytes() {
        return log.roomBytes();
    }

    @Override
    public boolean append(int shard, byte[] value, AppendCallback callback) {
        return log.append(
                shard,
                value,
                (offset, failure) -> callback.onAppended(failure == null ? offset + base : offset, failure));
    }

    @Override
    public void onRoom(Runnable action) {
        log.onRoom(action);
    }

    @Override
    public void start(Reader reader) {
        log.start(new RebasedReader(reader));
    }

    @Override
    public void takePart(boolean wanted) {
        log.takePart(wanted);
    }

    @Override
    public void readFrom(int shard, long offset) {
        log.readFrom(shard, behind(offset));
    }

    @Override
    public void readFrom(int shard, long offset, int leaderEpoch) {
        log.readFrom(shard, behind(offset), leaderEpoch);
    }

    @Override
    public CompletionStage<Identity> identity() {
        return log.identity();
    }

    @Override
    public void pause(int shard) {
        log.pause(shard);
    }

    @Override
    public void truncate(int shard, long offset) {
        log.truncate(shard, behind(offset));
    }

    @Override
    public Set<Integer> lagging() {
        return log.lagging();
    }

    @Override
    public void close() {
        log.close();
    }

    private long behind(long offset) {
        return Math.max(0, offset - base);
    }

    /** Hands on what comes, with the offsets that the owner knows. */
    private final class RebasedReader implements Reader {
        private final Reader reader;

        private RebasedReader(Reader reader) {
            this.reader = reader;
        }

        @Override
        public void onAssigned(int shard) {
            reader.onAssigned(shard);
        }

        @Override
        public void onRevoked(int shard) {
            reader.onRevoked(shard);
        }

        /** What is read from the beginning was perhaps asked for from further ahead, where there is nothing. */
        @Override
        public void onRecords(int shard, long from, List<LogRecord> records) {
            reader.onRecords(
                    shard,
                    from == 0 ? 0 : from + base,
                    records.stream().map(this::rebased).toList());
        }

        private LogRecord rebased(LogRecord record) {
            return new LogRecord(record.offset() + base, record.leaderEpoch(), record.timeMillis(), record.value());
        }

        @Override
        public void onWentBack(int shard, long at) {
            reader.onWentBack(shard, at + base);
        }
    }
}
