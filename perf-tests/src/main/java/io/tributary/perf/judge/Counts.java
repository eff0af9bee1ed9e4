package io.tributary.perf.judge;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** Counts at one moment, or between two. Immutable. */
@SuppressWarnings("EnumOrdinal") // nothing keeps the numbers, and counting is on the hot path
public final class Counts {
    /** Nothing counted yet. */
    public static final Counts NONE = new Counts(new long[Count.values().length]);

    private final long[] values;

    private Counts(long[] values) {
        this.values = values;
    }

    /** A copy of values in the order of {@link Count}. */
    static Counts of(long[] values) {
        return new Counts(values.clone());
    }

    /** Counts by their names, as {@link #asMap} gave them; those that are missing are 0. */
    public static Counts of(Map<Count, Long> values) {
        long[] all = new long[Count.values().length];
        values.forEach((count, value) -> all[count.ordinal()] = value);
        return new Counts(all);
    }

    /** One of them. */
    public long get(Count count) {
        return values[count.ordinal()];
    }

    /** What must have come and has not: never negative. */
    public long lost() {
        return Math.max(0, get(Count.EXPECTED) - get(Count.FIRST));
    }

    /** Messages whose fate the broker has not told, and still may. */
    public long unacknowledged() {
        return get(Count.SENT) - get(Count.ACKNOWLEDGED) - get(Count.REFUSED) - get(Count.ABANDONED);
    }

    /** The sum of two. */
    public Counts plus(Counts other) {
        return combine(other, 1);
    }

    /** What was counted since an earlier moment. */
    public Counts minus(Counts earlier) {
        return combine(earlier, -1);
    }

    private Counts combine(Counts other, int sign) {
        long[] sum = values.clone();
        for (int i = 0; i < sum.length; i++) {
            sum[i] += sign * other.values[i];
        }
        return new Counts(sum);
    }

    /** All of them by name. */
    public Map<Count, Long> asMap() {
        Map<Count, Long> map = new EnumMap<>(Count.class);
        for (Count count : Count.values()) {
            map.put(count, get(count));
        }
        return map;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Counts that && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return asMap().toString();
    }
}
