package io.tributary.perf.judge;

/**
 * What the first 16 bytes of every payload say: which run, which source (a publisher and one of its topics), which
 * message of it, when, and whether in a measured step.
 *
 * <pre>
 * 16 bits run | 24 bits source | measured or not | 23 bits of the time    first long
 * 32 bits sequence number                        | 32 bits of the time    second long
 * </pre>
 *
 * The time is in nanoseconds, modulo 2^55 (more than a year). Sequence numbers begin with 1.
 */
public final class Stamp {
    /** The size of a stamp, and of the smallest payload. */
    public static final int BYTES = 16;

    /** The largest number of sources in a run. */
    public static final int MAX_SOURCES = 1 << 24;

    private static final int TIME_SHIFT = 9;
    private static final long MEASURED = 1L << 23;
    private static final long UPPER_TIME = MEASURED - 1;

    private Stamp() {}

    /**
     * The first eight bytes.
     *
     * @param measured whether it was published in a measured step
     */
    public static long first(int run, int source, boolean measured, long nanos) {
        return (long) run << 48 | (long) source << 24 | (measured ? MEASURED : 0) | (nanos >>> 32 & UPPER_TIME);
    }

    /** The last eight bytes. */
    public static long second(long sequence, long nanos) {
        return sequence << 32 | (nanos & 0xFFFF_FFFFL);
    }

    /** The run, 0 to 65,535. */
    public static int run(long first) {
        return (int) (first >>> 48);
    }

    /** The source, 0 to {@link #MAX_SOURCES} - 1. */
    public static int source(long first) {
        return (int) (first >>> 24) & 0xFF_FFFF;
    }

    /** Whether the message was published in a measured step. */
    public static boolean isMeasured(long first) {
        return (first & MEASURED) != 0;
    }

    /** The sequence number, 1 to 4,294,967,295. */
    public static long sequence(long second) {
        return second >>> 32;
    }

    /** How long before {@code nowNanos} the stamp was made; negative where clocks disagree. */
    public static long ageNanos(long first, long second, long nowNanos) {
        long stamped = (first & UPPER_TIME) << 32 | (second & 0xFFFF_FFFFL);
        return (nowNanos - stamped) << TIME_SHIFT >> TIME_SHIFT;
    }
}
