package io.tributary.persistence.shard;

import java.util.List;

/**
 * The ordered, durable log of each shard, and the assignment of shards to nodes.
 *
 * <p>Appends may come from any thread and never block. Appends of one thread to one shard keep their order. Records are
 * handed to the {@link Reader} of the node that owns the shard, in order and without gaps from the position it asked
 * for, and only after they are durable. A reader may see a record before the append's callback has run.
 */
public interface ShardLog extends AutoCloseable {

    /** How many shards there are; fixed when the log is created. Shards are numbered from 0. */
    int shardCount();

    /**
     * Appends a record.
     *
     * @param value the encoded event, not to be written to afterwards
     * @param callback told when it is durable; callbacks of one shard come in the order of its offsets
     * @return false when the log's buffer is full: nothing was appended, the callback will not be called, and the caller
     *     waits for {@link #onRoom}
     */
    boolean append(int shard, byte[] value, AppendCallback callback);

    /**
     * Runs the action once when there is room for appends again, at once when there is room now. On a thread of the
     * log or the caller's; it must not block.
     */
    void onRoom(Runnable action);

    /** Starts to assign shards and to read those that are assigned. Called once. */
    void start(Reader reader);

    /**
     * Begins or goes on reading an assigned shard: records with at least the given offset are handed to the reader. Does
     * nothing when the shard is not assigned any more.
     */
    void readFrom(int shard, long offset);

    /** Stops handing out records of a shard, after at most one more batch, until the next {@link #readFrom}. */
    void pause(int shard);

    /** Tells the log that records below the offset are not needed any more: a log may delete them. */
    void truncate(int shard, long offset);

    /** Stops; appends that were accepted are completed first. Blocks until done. */
    @Override
    void close();

    /** What a node does with the shards it owns. Called on a thread of the log: it must not block. */
    interface Reader {
        /** This node owns the shard now; it calls {@link ShardLog#readFrom} when it is ready. */
        void onAssigned(int shard);

        /** This node does not own the shard any more; no records follow. */
        void onRevoked(int shard);

        /**
         * The next records of an assigned shard.
         *
         * @param from where they were read from: the offset that {@link ShardLog#readFrom} named, or the one behind the
         *     records handed out before. Nothing that the log has from there up to the last of the records is missing; where
         *     the first record is behind it, the log has deleted what was between.
         */
        void onRecords(int shard, long from, List<LogRecord> records);
    }
}
