package io.tributary.broker.shard;

/** What the owner has dropped of one session's queue since its client went. Confined to the thread of the driver. */
final class TrimmedRange {
    private long from;
    private long upTo;

    /** Up to where the queue was looked through for what is too much. */
    long upTo() {
        return upTo;
    }

    /** The queue is looked through from a sequence number on; what was passed over is not dropped. */
    void looksFrom(long sequence) {
        if (sequence > upTo + 1) {
            from = sequence;
        }
    }

    /** An entry of the queue was looked at; later ones follow. */
    void looked(long sequence, boolean isDropped) {
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
