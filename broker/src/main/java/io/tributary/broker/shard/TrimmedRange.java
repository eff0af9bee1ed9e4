package io.tributary.broker.shard;

import io.tributary.common.mqtt.Message;
import org.jspecify.annotations.Nullable;

/**
 * What the owner has dropped of one session's queue since its client went. Messages of the lowest priority are dropped
 * first, and those of a higher one when there are none of a lower one any more. Confined to the thread of the driver.
 */
final class TrimmedRange {
    private long from;
    private long upTo;
    /** The same as {@link #upTo} of the priorities above 0. */
    private long @Nullable [] higherUpTo;

    /** Up to where messages of a priority were looked at for what is too much. */
    long upTo(int priority) {
        if (priority == 0) {
            return upTo;
        }
        return higherUpTo == null ? 0 : higherUpTo[priority - 1];
    }

    private void lookedUpTo(int priority, long sequence) {
        long[] known = higherUpTo == null ? new long[Message.HIGHEST_PRIORITY] : higherUpTo;
        known[priority - 1] = sequence;
        higherUpTo = known;
    }

    /** Messages of no priority are left between these sequence numbers, which are not looked at again. */
    void gone(long first, long last) {
        for (int priority = 1; priority <= Message.HIGHEST_PRIORITY; priority++) {
            if (upTo(priority) >= first - 1 && upTo(priority) < last) {
                lookedUpTo(priority, last);
            }
        }
    }

    /** The queue is looked through from a sequence number on; what was passed over is not dropped. */
    void looksFrom(int priority, long sequence) {
        if (priority == 0 && sequence > upTo + 1) {
            from = sequence;
        }
    }

    /** The messages of a priority were looked at up to this entry of the queue; later ones follow. */
    void looked(int priority, long sequence, boolean isDropped) {
        if (priority > 0) {
            lookedUpTo(priority, sequence);
            return;
        }
        upTo = sequence;
        if (!isDropped) {
            from = sequence + 1;
        }
    }

    /** The first sequence number from the given one on that was not dropped. */
    long firstKept(long sequence) {
        return sequence >= from && sequence <= upTo ? upTo + 1 : sequence;
    }
}
