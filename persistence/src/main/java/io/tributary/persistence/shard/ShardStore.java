package io.tributary.persistence.shard;

import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.SessionHead;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The materialised state of each shard: the fold of its log up to exactly one offset.
 *
 * <p>No method blocks; stages complete on a thread of the store, exceptionally with {@link FencedException} when another
 * owner has claimed the shard or the store is at another offset than expected, with an I/O failure otherwise. Only the
 * owner of a shard calls, one {@link #save} at a time.
 */
public interface ShardStore extends AutoCloseable {

    /** The applied offset of a shard that nothing was ever saved of. */
    long NOTHING_APPLIED = -1;

    /**
     * Makes this the owner: calls with an older epoch are refused from now on.
     *
     * @param ownerEpoch the offset of the owner's record in the log
     */
    CompletionStage<Claim> claim(int shard, long ownerEpoch);

    /**
     * Reads the heads of all sessions of the shard, and all wills, in pages.
     *
     * @param cursor null for the first page, then the cursor of the page before
     */
    CompletionStage<HeadPage> readHeads(int shard, @Nullable String cursor);

    /**
     * Reads a session's queue in the order of sequence numbers.
     *
     * @param fromSequence the lowest sequence number wanted
     * @param maxEntries the page has no more entries, though at least one if there is one
     * @param maxBytes reading stops when the messages of the page have at least as many bytes
     */
    CompletionStage<QueuePage> readQueue(int shard, String clientId, long fromSequence, int maxEntries, int maxBytes);

    /** Applies a save point, wholly or not at all. Repeating one that was applied does no harm and succeeds. */
    CompletionStage<@Nullable Void> save(int shard, SavePoint savePoint);

    /** Stops; what was accepted is completed first. Blocks until done. */
    @Override
    void close();

    /**
     * Where the state of a shard stands.
     *
     * @param applied the offset up to which (inclusive) the log is folded, or {@link #NOTHING_APPLIED}
     * @param foldedOwner the epoch of the latest owner whose record is folded, -1 for none
     * @param sources the latest source applied from each shard that handed something on
     */
    record Claim(long applied, long foldedOwner, List<SavePoint.SourcePosition> sources) {}

    /**
     * Some sessions and some wills of a shard; a will may be on another page than the head of its client.
     *
     * @param cursor what to ask the next page with, or null when this was the last
     */
    record HeadPage(
            List<SessionHead> heads,
            List<SavePoint.ClientWill> wills,
            @Nullable String cursor) {}

    /**
     * A part of a session's queue.
     *
     * @param more whether there are entries behind the last one
     * @param applied the offset up to which the state is folded that the page was read from
     */
    record QueuePage(List<Entry> entries, boolean more, long applied) {}

    /** A queue entry and its sequence number. */
    record Entry(long sequence, QueueEntry entry) {}
}
