package io.tributary.broker.shard;

import java.util.function.LongSupplier;

/**
 * The time of a shard's log: that of the record that was folded last, carried on by the node's monotonic clock. It is
 * behind while the owner is, and never ahead. Confined to the thread of the driver.
 */
final class LogTime {
    private final LongSupplier clockMillis;
    private long recordMillis;
    private long foldedMillis;

    LogTime(LongSupplier clockMillis) {
        this.clockMillis = clockMillis;
        foldedMillis = clockMillis.getAsLong();
    }

    /** A record that was appended at this time is being folded. */
    void folded(long timeMillis) {
        recordMillis = timeMillis;
        foldedMillis = clockMillis.getAsLong();
    }

    /** When the record was appended that was folded last. */
    long recordMillis() {
        return recordMillis;
    }

    long nowMillis() {
        return recordMillis + clockMillis.getAsLong() - foldedMillis;
    }
}
