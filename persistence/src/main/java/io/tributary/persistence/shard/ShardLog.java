package io.tributary.persistence.shard;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The ordered, durable log of each shard, read by the node that the shard is assigned to.
 *
 * <p>Appends may come from any thread and never block. Appends of one thread to one shard keep their order. Records are
 * handed to the {@link Reader} of the node that owns the shard, in order and without gaps from the position it asked
 * for, and only after they are durable. A reader may see a record before the append's callback has run.
 */
public interface ShardLog extends AutoCloseable {
    /** The usual {@link #roomBytes}. */
    int ROOM_BYTES = 512 << 10;

    /** How many shards there are; fixed when the log is created. Shards are numbered from 0. */
    int shardCount();

    /**
     * How many bytes a record may have besides an MQTT packet of the largest size: the topic that an alias stood for,
     * client identifiers, names of shared subscriptions, recipients. Never changes while a log exists: what one owner
     * has cut into records by it, the next one must cut likewise.
     */
    default int roomBytes() {
        return ROOM_BYTES;
    }

    /**
     * Appends a record.
     *
     * @param value the encoded event, not to be written to afterwards
     * @param callback told when it is durable; callbacks of one shard come in the order of its offsets
     * @return false when the log's buffer is full: nothing was appended, the callback will not be called, and the
     *     caller waits for {@link #onRoom}
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
     * Takes part in the assignment of shards, as after {@link #start}, or no more: those of this node are revoked then,
     * and go to others. A log that only one node reads has nobody to give them to, and goes on.
     */
    default void takePart(boolean wanted) {}

    /**
     * Begins or goes on reading an assigned shard: records with at least the given offset are handed to the reader.
     * Does nothing when the shard is not assigned any more.
     */
    void readFrom(int shard, long offset);

    /**
     * The same, if the log still has the record before the offset; otherwise {@link Reader#onWentBack}.
     *
     * @param leaderEpoch that of the record before; negative when it is not known
     */
    default void readFrom(int shard, long offset, int leaderEpoch) {
        readFrom(shard, offset);
    }

    /**
     * Allows the log to hand out records of a shard that this node has appended as soon as they are durable, before it
     * has read them back; until the next {@link #readFrom}. Their leader epoch is {@link LogRecord#NOT_READ_BACK}. That
     * they are the log's records is checked when they are read back: {@link Reader#onWentBack} follows if they are not.
     */
    default void allowEarly(int shard) {}

    /**
     * The leader epoch of a record that was handed out early; any thread, never blocks.
     *
     * @return {@link LogRecord#NOT_READ_BACK} while the record is still to be read back; {@link LogRecord#NO_LEADER}
     *     when it will not be: the shard is not read at the moment, or from another place
     */
    default int leaderEpoch(int shard, long offset) {
        return LogRecord.NO_LEADER;
    }

    /** Which log this is; asked anew, for a log may be replaced by another one of the same name. */
    default CompletionStage<Identity> identity() {
        return CompletableFuture.completedStage(Identity.ONLY);
    }

    /** Stops handing out records of a shard, after at most one more batch, until the next {@link #readFrom}. */
    void pause(int shard);

    /** Tells the log that records below the offset are not needed any more: a log may delete them. */
    void truncate(int shard, long offset);

    /**
     * The shards, of any owner, with records older than half of the time for which the log keeps them that are still
     * needed: the log may delete what is appended now before it is applied. As of some time ago; any thread, never
     * blocks.
     */
    default Set<Integer> lagging() {
        return Set.of();
    }

    /** Stops; appends that were accepted are completed first. Blocks until done. */
    @Override
    void close();

    /**
     * Names a log.
     *
     * @param id differs from that of any other log; empty where there is no other
     * @param isAccepted whether an administrator has said that this is the right log, though it is another one than
     *     before
     */
    record Identity(String id, boolean isAccepted) {
        /** A log that cannot be another one. */
        public static final Identity ONLY = new Identity("", false);
    }

    /** A node's side of the log: it gets shards and their records. Called on a thread of the log: it must not block. */
    interface Reader {
        /**
         * Another node owns the shard, and this one will soon: what can be done before is to be done.
         *
         * @param ready to be run, on any thread, once it is done, or cannot be; the other node waits for that, some
         *     seconds
         */
        default void onExpected(int shard, Runnable ready) {
            ready.run();
        }

        /**
         * This node owns the shard, and another one will soon, which reads its state from the store: the state should
         * stay as it is there until {@link #onRevoked}, or for some seconds.
         */
        default void onLeaving(int shard) {}

        /** This node owns the shard now; it calls {@link ShardLog#readFrom} when it is ready. */
        void onAssigned(int shard);

        /**
         * This node does not own the shard any more; no records follow.
         *
         * @param released to be run, on any thread, once nothing is done any more for the shard; another node may wait
         *     for that, a moment
         */
        void onRevoked(int shard, Runnable released);

        /**
         * The next records of an assigned shard.
         *
         * @param from the offset that {@link ShardLog#readFrom} named, or the one behind the records handed out before.
         *     Nothing that the log has from there up to the last of the records is missing; where the first record is
         *     behind it, the log has deleted what was between.
         */
        void onRecords(int shard, long from, List<LogRecord> records);

        /**
         * The log has lost records that it had: it ends, or goes on with others, before the offset that is to be handed
         * out next. Nothing of the shard is handed out until the next {@link ShardLog#readFrom}.
         *
         * @param at the first offset whose record is not the one that it was
         */
        void onWentBack(int shard, long at);
    }
}
