package io.tributary.broker.tenant;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets many threads do so many things a second together, and what is not done in a second all at once later. They take
 * several at a time, so that they seldom meet here. Nothing is taken while there is a debt, so that the debt is never
 * more than one thread's, and an hour at most. Time is given by the caller, in nanoseconds of an origin that all share.
 */
final class SharedBucket {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_DEBT_NANOS = TimeUnit.HOURS.toNanos(1);
    /** What is taken at once lasts a millisecond of the whole rate. */
    private static final int BATCHES_A_SECOND = 1_000;

    private static final long NOTHING_TAKEN = Long.MIN_VALUE;

    private final long perSecond;
    private final int batch;

    /** Until when all is taken. */
    private final AtomicLong takenUntil = new AtomicLong(NOTHING_TAKEN);

    /**
     * Creates a full one.
     *
     * @param perSecond 0 for a bucket that gives nothing
     * @param mostAtOnce how much is taken at once at most, but for a thing that is larger itself
     */
    SharedBucket(long perSecond, int mostAtOnce) {
        this.perSecond = perSecond;
        batch = Math.clamp(perSecond / BATCHES_A_SECOND, 1, mostAtOnce);
    }

    /** How much is best taken at once. */
    int batch() {
        return batch;
    }

    /**
     * Takes so much, even if less is there, unless there is a debt.
     *
     * @return 0 when it is taken, else in how many nanoseconds the debt is paid back; {@code Long.MAX_VALUE} for never
     */
    long take(long count, long nowNanos) {
        if (perSecond == 0) {
            return Long.MAX_VALUE;
        }
        long nanos = Math.min(LONGEST_DEBT_NANOS, Math.round(count * (SECOND_NANOS / (double) perSecond)));
        long full = nowNanos - SECOND_NANOS;
        while (true) {
            long before = takenUntil.get();
            long from = before == NOTHING_TAKEN || before - full < 0 ? full : before;
            if (from - nowNanos > 0) {
                return from - nowNanos;
            }
            if (takenUntil.compareAndSet(before, from + nanos)) {
                return 0;
            }
        }
    }
}
