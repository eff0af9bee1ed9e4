package io.tributary.common.time;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A time that this machine's wall clock cannot change: it is that of the wall clock once, when the clock is created,
 * and from then on the monotonic clock carries it. Where others are to have the same time, {@link #observed} sets it by
 * what they all see. Any thread; costs a read of the monotonic clock.
 */
public final class SteadyClock implements InstantSource {
    /** What is seen late says too little; the latest of what is seen in this while is taken for the time. */
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongSupplier nanoTime;
    private volatile long offsetNanos;

    // Guarded by this.
    private boolean hasObserved;
    private long takenNanos;
    private long highestNanos = Long.MIN_VALUE;

    /** Creates it at the time of the wall clock. */
    public SteadyClock() {
        this(System::nanoTime, System.currentTimeMillis());
    }

    /**
     * Creates it with a monotonic clock of one's own.
     *
     * @param wallMillis the time now, in milliseconds since the epoch
     */
    public SteadyClock(LongSupplier nanoTime, long wallMillis) {
        this.nanoTime = nanoTime;
        offsetNanos = wallMillis * NANOS_PER_MILLI - nanoTime.getAsLong();
    }

    @Override
    public long millis() {
        return Math.floorDiv(nanoTime.getAsLong() + offsetNanos, NANOS_PER_MILLI);
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }

    /**
     * It is this late, or was a little ago. The clock goes ahead at once; it goes back, for others' time may, when all
     * that is seen for ten seconds says so.
     *
     * @param millis milliseconds since the epoch
     */
    public synchronized void observed(long millis) {
        long now = nanoTime.getAsLong();
        long seen = millis * NANOS_PER_MILLI - now;
        highestNanos = Math.max(highestNanos, seen);
        if (!hasObserved || seen >= offsetNanos || now - takenNanos >= WINDOW_NANOS) {
            offsetNanos = highestNanos;
            hasObserved = true;
            takenNanos = now;
            highestNanos = Long.MIN_VALUE;
        }
    }
}
