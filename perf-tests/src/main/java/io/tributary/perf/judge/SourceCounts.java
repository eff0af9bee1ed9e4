package io.tributary.perf.judge;

import java.util.List;
import java.util.stream.IntStream;

/**
 * For each source the deliveries that its messages must lead to, and those that came. Filled in at the end of a run,
 * and added up over processes. Not thread-safe.
 */
public final class SourceCounts {
    private final long[] expected;
    private final long[] first;

    /** With nothing counted for this number of sources. */
    public SourceCounts(int sources) {
        expected = new long[sources];
        first = new long[sources];
    }

    /** With what was counted elsewhere; both are of the same length. */
    public SourceCounts(long[] expected, long[] first) {
        this.expected = expected.clone();
        this.first = first.clone();
    }

    /** So many deliveries more must come of this source. */
    public void expect(int source, long deliveries) {
        expected[source] += deliveries;
    }

    /** So many more came. */
    public void arrived(int source, long deliveries) {
        first[source] += deliveries;
    }

    /** Adds what another process counted. */
    public void add(SourceCounts other) {
        for (int i = 0; i < expected.length; i++) {
            expected[i] += other.expected[i];
            first[i] += other.first[i];
        }
    }

    /** What must come, by source. */
    public long[] expected() {
        return expected.clone();
    }

    /** What came, by source. */
    public long[] first() {
        return first.clone();
    }

    /** Deliveries that did not come, over all sources; more than {@link Counts#lost} where others came unexpected. */
    public long lost() {
        return IntStream.range(0, expected.length).mapToLong(this::lost).sum();
    }

    /** The sources of which deliveries are missing. */
    public List<Integer> losers() {
        return IntStream.range(0, expected.length)
                .filter(source -> lost(source) > 0)
                .boxed()
                .toList();
    }

    /** Deliveries of one source that did not come. */
    public long lost(int source) {
        return Math.max(0, expected[source] - first[source]);
    }
}
