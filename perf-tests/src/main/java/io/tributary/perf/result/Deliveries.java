package io.tributary.perf.result;

import io.tributary.perf.judge.Count;
import java.util.Map;

/**
 * What became of the messages that were published in measured steps.
 *
 * @param expected deliveries that they must lead to
 * @param first those that came, each once
 */
public record Deliveries(long expected, long first) {

    /**
     * By what was counted. An older version of the tool did not tell these messages from those of a warm-up: then it is
     * all of them.
     */
    public static Deliveries of(Map<Count, Long> counts) {
        boolean apart = areApart(counts);
        return new Deliveries(
                counts.getOrDefault(apart ? Count.EXPECTED_MEASURED : Count.EXPECTED, 0L),
                counts.getOrDefault(apart ? Count.FIRST_MEASURED : Count.FIRST, 0L));
    }

    static boolean areApart(Map<Count, Long> counts) {
        return counts.containsKey(Count.EXPECTED_MEASURED);
    }

    /** The share that came; not a number where nothing must. Others may have come that nobody expected. */
    public double share() {
        return expected == 0 ? Double.NaN : Math.min(1, (double) first / expected);
    }

    /** How many have not come. */
    public long missing() {
        return Math.max(0, expected - first);
    }
}
