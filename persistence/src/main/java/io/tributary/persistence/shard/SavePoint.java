package io.tributary.persistence.shard;

import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Will;
import java.util.List;

/**
 * The change that moves a shard's stored state from one offset of its log to a later one, in one atomic step.
 *
 * <p>Within a save point the parts are applied in the order of the components: a cleared client loses its stored
 * session and its queue before anything is put.
 *
 * @param ownerEpoch the owner that saves; the store refuses one that is older than the epoch it has
 * @param expectedApplied the offset that the store must be at; it refuses the change otherwise
 * @param applied the offset up to which (inclusive) the log is folded after the change
 * @param leaderEpoch that of the record at this offset, or {@link LogRecord#NO_LEADER}. {@link LogRecord#NOT_READ_BACK}
 *     until it is known: such a save point is not to be stored
 * @param foldedOwner the epoch of the latest owner whose record is folded then; while an owner folds what others left,
 *     that is one before it. -1 for none
 * @param snapshotMillis the time, by the log, of the last complete log snapshot that is folded then, or
 *     {@link ShardStore#NO_SNAPSHOT}
 * @param sources for each shard the latest source applied from it; only those that changed
 * @param cleared clients whose session ended: head and queue go; wills stay until they are removed by name
 * @param sessions the sessions that changed, without their queues
 * @param removed queue entries that are done with
 * @param queued queue entries that were added or replaced
 * @param willsRemoved wills that go
 * @param wills wills that were set or have become due
 */
public record SavePoint(
        long ownerEpoch,
        long expectedApplied,
        long applied,
        int leaderEpoch,
        long foldedOwner,
        long snapshotMillis,
        List<SourcePosition> sources,
        List<String> cleared,
        List<StoredSession> sessions,
        List<SequenceKey> removed,
        List<SequencedEntry> queued,
        List<WillKey> willsRemoved,
        List<ClientWill> wills) {

    /** One that clears clients and changes nothing else. */
    public static SavePoint clearing(long ownerEpoch, long expectedApplied, long applied, List<String> clients) {
        return new SavePoint(
                ownerEpoch,
                expectedApplied,
                applied,
                LogRecord.NO_LEADER,
                -1,
                ShardStore.NO_SNAPSHOT,
                List.of(),
                clients,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of());
    }

    /** The same with another leader epoch. */
    public SavePoint withLeaderEpoch(int newLeaderEpoch) {
        return new SavePoint(
                ownerEpoch,
                expectedApplied,
                applied,
                newLeaderEpoch,
                foldedOwner,
                snapshotMillis,
                sources,
                cleared,
                sessions,
                removed,
                queued,
                willsRemoved,
                wills);
    }

    /** The latest source that a shard applied from another one. */
    public record SourcePosition(int shard, long offset, int part) {}

    /** Names a queue entry. */
    public record SequenceKey(String clientId, long sequence) {}

    /** A queue entry with its name. */
    public record SequencedEntry(String clientId, long sequence, QueueEntry entry) {}

    /** Names a will: the client, and the epoch of the connection that left it. */
    public record WillKey(String clientId, long epoch) {}

    /**
     * A will that a client's connection left with the broker.
     *
     * @param due whether it is to be published whatever the client does from now on
     */
    public record ClientWill(String clientId, long epoch, Will will, boolean due) {}
}
