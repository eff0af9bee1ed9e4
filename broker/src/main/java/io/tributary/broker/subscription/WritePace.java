package io.tributary.broker.subscription;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How many bytes each client has had written of late: a change of one subscription writes all of its persistent
 * session's, for all nodes to read, so that a packet of ten bytes may cost a quarter of a megabyte; of a transient
 * session other nodes are told each filter. By client, for a connection is quickly made anew. Any thread.
 */
final class WritePace {
    static final long BYTES_A_SECOND = 1 << 20;
    /** A thousand subscriptions are made one by one with some 20 MB, a few hundred with this. */
    static final long BYTES_AT_ONCE = 8 << 20;

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long NANOS_AT_ONCE = BYTES_AT_ONCE / BYTES_A_SECOND * SECOND_NANOS;

    private final LongSupplier nanoTime;
    /** Until when the rate of each client is used up; what is in the past says nothing. */
    private final ConcurrentMap<String, Long> usedUntil = new ConcurrentHashMap<>();

    WritePace(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** So many bytes were written for a client. */
    void wrote(String clientId, int bytes) {
        long now = nanoTime.getAsLong();
        long nanos = bytes * SECOND_NANOS / BYTES_A_SECOND;
        usedUntil.compute(clientId, (_, until) -> (until == null || until - now < 0 ? now : until) + nanos);
    }

    /** How long a client is to wait before more is written for it; 0 for not at all. */
    long waitNanos(String clientId) {
        Long until = usedUntil.get(clientId);
        return until == null ? 0 : Math.max(0, until - NANOS_AT_ONCE - nanoTime.getAsLong());
    }

    /** Frees the memory of clients whose rate is not used up. */
    void tidy() {
        long now = nanoTime.getAsLong();
        usedUntil.values().removeIf(until -> until - now <= 0);
    }

    /** How many clients there is memory of. */
    int size() {
        return usedUntil.size();
    }
}
