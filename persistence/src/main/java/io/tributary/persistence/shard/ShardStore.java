package io.tributary.persistence.shard;

import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Message;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The materialised state of each shard: the fold of its log up to exactly one offset.
 *
 * <p>No method blocks; stages complete on a thread of the store, exceptionally with {@link FencedException} when
 * another owner has claimed the shard or the store is at another offset than expected, with an I/O failure otherwise.
 * Only the owner of a shard calls, one {@link #save} at a time; {@link #applied} and {@link #readSessions} are for
 * others, too.
 */
public interface ShardStore extends AutoCloseable {

    /** The applied offset of a shard that nothing was ever saved of. */
    long NOTHING_APPLIED = -1;

    /** The time of the last log snapshot in a log that has none. */
    long NO_SNAPSHOT = -1;

    /**
     * Makes this the owner: calls with an older epoch are refused from now on. One of another log than the state is
     * refused, too.
     */
    CompletionStage<Claim> claim(int shard, Claimant owner);

    /**
     * Reads all sessions of the shard, and all wills, in pages. Together these are one state if {@link #applied} says
     * the same before the first and after the last.
     *
     * @param cursor null for the first page, then the cursor of the page before
     */
    CompletionStage<SessionPage> readSessions(int shard, @Nullable String cursor);

    /**
     * Reads a session's queue in the order of sequence numbers.
     *
     * @param fromSequence the lowest sequence number wanted
     * @param maxEntries the page has no more entries, though at least one if there is one
     * @param maxBytes reading stops when the messages of the page have at least as many bytes
     */
    default CompletionStage<QueuePage> readQueue(
            int shard, String clientId, long fromSequence, int maxEntries, int maxBytes) {
        return readQueue(shard, clientId, fromSequence, maxEntries, maxBytes, Priorities.ALL);
    }

    /**
     * Reads messages of some priorities of a session's queue in the order of sequence numbers. What is no message any
     * more, for only its PUBREL is owed, comes with those of the highest priority. Fails with a {@link
     * java.util.concurrent.RejectedExecutionException} when the store was not asked, for too many reads wait.
     *
     * @param fromSequence the lowest sequence number wanted
     * @param maxEntries the page has no more entries, though at least one if there is one among those looked at. It may
     *     have none, where others are wanted than most: no more than {@link #MOST_PASSED} others are passed over, and
     *     fewer where these are large
     * @param maxBytes reading stops when the messages of the page have at least as many bytes
     * @param priorities of which to read
     */
    CompletionStage<QueuePage> readQueue(
            int shard, String clientId, long fromSequence, int maxEntries, int maxBytes, Priorities priorities);

    /** How many entries of other priorities than are wanted one page passes over. */
    int MOST_PASSED = 2_000;

    /** Some of the priorities of messages: from the lowest to the highest that is meant, both included. */
    record Priorities(int from, int to) {
        /** Messages of any priority. */
        public static final Priorities ALL = new Priorities(0, Message.HIGHEST_PRIORITY);

        /** Whether these are among them. */
        public boolean has(int priority) {
            return priority >= from && priority <= to;
        }

        /** Whether an entry of a queue is read with them. */
        public boolean has(QueueEntry entry) {
            return has(entry.priority());
        }
    }

    /**
     * Finds messages of a session's queue that have expired, in the order of sequence numbers.
     *
     * @param fromSequence the lowest sequence number wanted
     * @param nowMillis the time, by the clock of the cluster
     * @param maxEntries no more entries are looked at, expired or not
     */
    CompletionStage<ExpiredPage> readExpired(
            int shard, String clientId, long fromSequence, long nowMillis, int maxEntries);

    /** Applies a save point, wholly or not at all. Repeating one that was applied does no harm and succeeds. */
    CompletionStage<@Nullable Void> save(int shard, SavePoint savePoint);

    /**
     * The offset up to which (inclusive) the log of a shard of any owner is folded, or {@link #NOTHING_APPLIED}; costs
     * next to nothing.
     */
    CompletionStage<Long> applied(int shard);

    /** Stops; what was accepted is completed first. Blocks until done. */
    @Override
    void close();

    /**
     * The owner that claims a shard.
     *
     * @param epoch the offset of the owner's record in the log
     * @param log the log's {@link ShardLog.Identity#id}; empty where it is not to be compared
     * @param acceptsLog whether the state becomes that of this log if it was that of another one
     * @param reused offsets to be folded a second time, for the log has other records there than it had; or null. A
     *     state that is folded further is said to be folded up to their beginning from now on, and is what it is
     */
    record Claimant(
            long epoch,
            String log,
            boolean acceptsLog,
            @Nullable Reused reused) {
        /** A claim for a log that cannot be replaced by another. */
        public Claimant(long epoch) {
            this(epoch, "", false, null);
        }
    }

    /**
     * Offsets that have been used twice, for the log has lost its end and gone on from there. What is named by its
     * offset is not to be named by one of these.
     *
     * @param from the lowest
     * @param to the highest
     */
    record Reused(long from, long to) {
        /** Whether the offset is one of these. */
        public boolean has(long offset) {
            return offset >= from && offset <= to;
        }
    }

    /**
     * Where the state of a shard stands.
     *
     * @param applied the offset up to which (inclusive) the log is folded, or {@link #NOTHING_APPLIED}
     * @param leaderEpoch that of the last record folded, or {@link LogRecord#NO_LEADER}
     * @param foldedOwner the epoch of the latest owner whose record is folded, -1 for none
     * @param snapshotMillis the time, by the log, of the last complete log snapshot that is folded, or
     *     {@link #NO_SNAPSHOT}, also when the log has gone back since
     * @param sources the latest source applied from each shard that forwarded something
     * @param reused the latest offsets that were used twice, or null
     */
    record Claim(
            long applied,
            int leaderEpoch,
            long foldedOwner,
            long snapshotMillis,
            List<SavePoint.SourcePosition> sources,
            @Nullable Reused reused) {
        /** The state's position in a log that has no leaders, and never went back. */
        public Claim(long applied, long foldedOwner, List<SavePoint.SourcePosition> sources) {
            this(applied, LogRecord.NO_LEADER, foldedOwner, NO_SNAPSHOT, sources, null);
        }
    }

    /**
     * Some sessions and some wills of a shard; a will may be on another page than the stored session of its client.
     *
     * @param cursor what to ask the next page with, or null when this was the last
     */
    record SessionPage(
            List<StoredSession> sessions,
            List<SavePoint.ClientWill> wills,
            @Nullable String cursor) {}

    /**
     * A part of a session's queue.
     *
     * @param remnants entries among these whose message the store has lost, in their order
     * @param upTo the sequence number of the last entry that was looked at, wanted or not; -1 when there is none
     * @param more whether there are entries behind that one
     * @param applied the offset up to which the state is folded that the page was read from
     */
    record QueuePage(List<Entry> entries, List<Remnant> remnants, long upTo, boolean more, long applied) {
        /** A page with all its messages, that looked at no others. */
        public QueuePage(List<Entry> entries, boolean more, long applied) {
            this(entries, List.of(), entries.isEmpty() ? -1 : entries.getLast().sequence(), more, applied);
        }
    }

    /**
     * A queued message without the message, which has expired, or which the store has lost: it let it go when it had
     * expired, or somebody else has deleted it.
     *
     * @param sizeBytes what the session counts for it, see {@link QueueEntry#sizeBytes}
     * @param expiresAtMillis when the message expires or has expired, by the clock of the cluster;
     *     {@link Message#NEVER} if it does not
     * @param priority of the message
     */
    record Remnant(long sequence, int sizeBytes, long expiresAtMillis, int priority) {
        /** One of priority 0. */
        public Remnant(long sequence, int sizeBytes, long expiresAtMillis) {
            this(sequence, sizeBytes, expiresAtMillis, 0);
        }
    }

    /**
     * What has expired in a part of a session's queue.
     *
     * @param upTo the sequence number of the last entry that was looked at; -1 when there is none
     * @param more whether there are entries behind that one
     * @param applied the offset up to which the state is folded that was looked at
     */
    record ExpiredPage(List<Remnant> expired, long upTo, boolean more, long applied) {}

    /** A queue entry and its sequence number. */
    record Entry(long sequence, QueueEntry entry) {}
}
