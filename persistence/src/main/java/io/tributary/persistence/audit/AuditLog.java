package io.tributary.persistence.audit;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A durable log of what administrators change, in order. Entries are kept for {@value #RETENTION_DAYS} days. It knows
 * nothing of what is in them. Any thread; never blocks.
 */
public interface AuditLog extends AutoCloseable {
    /** How long an entry is kept. */
    int RETENTION_DAYS = 90;

    /** How long an entry may be. */
    int LARGEST_ENTRY_BYTES = 16 * 1024;

    /**
     * An entry.
     *
     * @param position where it is; later ones have larger positions
     * @param timeMillis when it was written, in milliseconds since the epoch
     * @param bytes what was appended
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    record Entry(long position, long timeMillis, byte[] bytes) {}

    /** Appends an entry; the stage completes when it is durable, and fails when it may not be. */
    CompletionStage<@Nullable Void> append(byte[] entry);

    /**
     * The newest entries before a position, the newest one first.
     *
     * @param before the position, {@link Long#MAX_VALUE} for the end
     * @param most how many at most; fewer do not mean that there are no more, none does
     */
    CompletionStage<List<Entry>> read(long before, int most);

    /** Stops; what was accepted is completed first. Blocks until done. */
    @Override
    void close();
}
