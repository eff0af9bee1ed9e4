package io.tributary.broker.shard;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;

/**
 * How many clients' connections of this node have asked for their sessions and wait for the answer of an owner, by
 * shard. What waits takes memory, also of connections that are gone, and clients come back: so their number is bounded,
 * and where no owner is going to answer soon they need not wait. Any thread.
 */
final class WaitingAttaches {
    /** The most that wait in a shard that has an owner. */
    static final int MOST = 10_000;

    /** The most that wait in a shard without an owner: their connections are mostly still there, and take more. */
    static final int MOST_WITHOUT_OWNER = 1_000;

    /** A shard that has been without an owner for longer takes no connection. */
    static final long PATIENCE_NANOS = 10_000_000_000L;

    private final IntPredicate owned;
    private final LongSupplier nanoClock;
    private final AtomicIntegerArray waiting;
    /** When a shard was last seen to have an owner. */
    private final AtomicLongArray ownedAt;

    /**
     * Creates one for shards that have owners by now.
     *
     * @param owned whether a shard has an owner that this node can reach
     */
    WaitingAttaches(int shards, IntPredicate owned, LongSupplier nanoClock) {
        this.owned = owned;
        this.nanoClock = nanoClock;
        waiting = new AtomicIntegerArray(shards);
        ownedAt = new AtomicLongArray(shards);
        long now = nanoClock.getAsLong();
        for (int shard = 0; shard < shards; shard++) {
            ownedAt.set(shard, now);
        }
    }

    /** Whether one more may wait. */
    boolean hasRoom(int shard) {
        int count = waiting.get(shard);
        if (owned.test(shard)) {
            return count < MOST;
        }
        return count < MOST_WITHOUT_OWNER && nanoClock.getAsLong() - ownedAt.get(shard) < PATIENCE_NANOS;
    }

    /** A connection has asked. */
    void asked(int shard) {
        waiting.incrementAndGet(shard);
    }

    /** A connection is answered. */
    void answered(int shard) {
        waiting.decrementAndGet(shard);
    }

    /** Notes which shards have owners now; to be called some times a second. */
    void look() {
        long now = nanoClock.getAsLong();
        for (int shard = 0; shard < ownedAt.length(); shard++) {
            if (owned.test(shard)) {
                ownedAt.set(shard, now);
            }
        }
    }
}
