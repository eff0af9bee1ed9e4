package io.tributary.broker.shard;

import io.tributary.persistence.shard.ShardStore.Reused;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offsets that a log had used before it lost its end: it is filled up behind them with records that say nothing, for an
 * offset names a session, a connection, an owner or a message for good. Confined to the thread of its driver.
 */
final class LogGap {
    /**
     * How many times the messages of a save point an owner may have folded, and told others of, behind what is stored.
     */
    static final int UNSAVED_FACTOR = 8;

    private static final Logger LOG = LoggerFactory.getLogger(LogGap.class);
    private static final int MOST_AT_ONCE = 10_000;
    private static final long SAY_EVERY = 1_000_000;

    private final long from;
    private final long upTo;

    /**
     * Creates one.
     *
     * @param from the first offset that has another record than it had, or is yet to have one; {@link Long#MAX_VALUE}
     *     when it is only to be left out what may have been used
     * @param upTo the highest offset that may have been used
     * @param before one that was found before and is not filled yet, or null
     */
    LogGap(long from, long upTo, @Nullable LogGap before) {
        this.from = before == null ? from : Math.min(from, before.from);
        this.upTo = before == null ? upTo : Math.max(upTo, before.upTo);
    }

    /**
     * The offsets of the gap, when an owner's record has been appended behind it; null when none is known to have been
     * used.
     */
    @Nullable
    Reused reused(long ownerEpoch) {
        return from >= ownerEpoch ? null : new Reused(from, ownerEpoch - 1);
    }

    /**
     * Fills the log up. Never blocks.
     *
     * @param isWanted asked now and then whether to go on
     * @param then run on the thread when the next record will be behind the gap
     */
    void fill(int shard, LogAppender appender, Executor thread, BooleanSupplier isWanted, Runnable then) {
        append(1, shard, appender, thread, isWanted, then);
    }

    private void append(
            int count, int shard, LogAppender appender, Executor thread, BooleanSupplier isWanted, Runnable then) {
        var all = LogAppender.countingDown(count, (offset, failure) -> {
            if (failure == null) { // else the node is closing
                thread.execute(() -> {
                    if (!isWanted.getAsBoolean()) {
                        return;
                    }
                    if (offset >= upTo) {
                        then.run();
                        return;
                    }
                    if (offset / SAY_EVERY != (offset - count) / SAY_EVERY) {
                        LOG.warn("Shard {}: its log is filled up to offset {} of {}", shard, offset, upTo);
                    }
                    int next = (int) Math.min(MOST_AT_ONCE, upTo - offset);
                    append(next, shard, appender, thread, isWanted, then);
                });
            }
        });
        for (int i = 0; i < count; i++) {
            appender.appendNothing(shard, all);
        }
    }
}
