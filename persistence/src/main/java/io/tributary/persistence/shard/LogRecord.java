package io.tributary.persistence.shard;

/**
 * One record of a shard's log.
 *
 * @param offset its position; each is one behind that of the record before it, so that a record that was deleted is
 *     noticed
 * @param leaderEpoch which of the log's leaders appended it; grows with each leader, so that offset and leader epoch
 *     name a record for good, also when a log has lost its end and filled it anew. {@link #NO_LEADER} where the log has
 *     none, {@link #NOT_READ_BACK} where it is not known yet
 * @param timeMillis when the log appended it, by the log's clock; goes back within a shard only where the log's servers
 *     disagree about the time and another one has taken over
 * @param value the encoded event, not to be written to; empty where nothing is said
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
public record LogRecord(long offset, int leaderEpoch, long timeMillis, byte[] value) {
    /** The leader epoch of a log that has no leaders, or of a record that nothing is known of. */
    public static final int NO_LEADER = -1;

    /**
     * The leader epoch of a record that came early ({@link ShardLog#allowEarly}) while it is still to be read back;
     * afterwards {@link ShardLog#leaderEpoch} has the real one.
     */
    public static final int NOT_READ_BACK = -2;

    /** A record of a log that has no leaders. */
    public LogRecord(long offset, long timeMillis, byte[] value) {
        this(offset, NO_LEADER, timeMillis, value);
    }
}
