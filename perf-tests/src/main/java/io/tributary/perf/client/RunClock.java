package io.tributary.perf.client;

/**
 * The clock of a run, in nanoseconds since nobody knows when: the same in all processes of a run, as well as their
 * clocks can be compared. Thread-safe.
 */
public final class RunClock {
    private volatile long offsetNanos;

    /** The time. */
    public long nanos() {
        return System.nanoTime() + offsetNanos;
    }

    /** Sets it to the clock of the process that leads. */
    public void setOffset(long nanos) {
        offsetNanos = nanos;
    }
}
