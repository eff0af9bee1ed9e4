package io.tributary.perf.judge;

import java.util.Arrays;

/**
 * Sequence numbers that were passed over and may still come, as a bounded list of ranges in ascending order. Where
 * there are too many ranges, the oldest is forgotten. Not thread-safe.
 */
final class Gaps {
    /** How many ranges are remembered: 16 kB a stream at the worst. */
    static final int MAX_RANGES = 1_024;

    /** The first and the last number of each range, one after the other. */
    private long[] bounds = new long[8];

    private int ranges;

    /** Up to here nothing is known any more. */
    private long forgottenTo;

    /** Adds a range above all that were added before. */
    void add(long first, long last) {
        if (ranges == MAX_RANGES) {
            forgottenTo = bounds[1];
            ranges--;
            System.arraycopy(bounds, 2, bounds, 0, ranges * 2);
        }
        if (ranges * 2 == bounds.length) {
            bounds = Arrays.copyOf(bounds, bounds.length * 2);
        }
        bounds[ranges * 2] = first;
        bounds[ranges * 2 + 1] = last;
        ranges++;
    }

    /** Takes a number out; answers whether it was missing. */
    boolean remove(long number) {
        int at = rangeOf(number);
        if (at < 0) {
            return false;
        }
        long first = bounds[at * 2];
        long last = bounds[at * 2 + 1];
        if (first == last) {
            ranges--;
            System.arraycopy(bounds, at * 2 + 2, bounds, at * 2, (ranges - at) * 2);
        } else if (number == first) {
            bounds[at * 2] = number + 1;
        } else if (number == last) {
            bounds[at * 2 + 1] = number - 1;
        } else {
            split(at, number);
        }
        return true;
    }

    /** Whether so many ranges were forgotten that nothing can be said of this number. */
    boolean isForgotten(long number) {
        return number <= forgottenTo;
    }

    private void split(int at, long number) {
        long first = bounds[at * 2];
        if (ranges == MAX_RANGES) { // no room for two: the lower part is forgotten with all below it
            forgottenTo = number;
            bounds[at * 2] = number + 1;
            ranges -= at;
            System.arraycopy(bounds, at * 2, bounds, 0, ranges * 2);
            return;
        }
        if (ranges * 2 == bounds.length) {
            bounds = Arrays.copyOf(bounds, bounds.length * 2);
        }
        System.arraycopy(bounds, at * 2, bounds, at * 2 + 2, (ranges - at) * 2);
        ranges++;
        bounds[at * 2] = first;
        bounds[at * 2 + 1] = number - 1;
        bounds[at * 2 + 2] = number + 1;
    }

    private int rangeOf(long number) {
        int low = 0;
        int high = ranges - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (number < bounds[middle * 2]) {
                high = middle - 1;
            } else if (number > bounds[middle * 2 + 1]) {
                low = middle + 1;
            } else {
                return middle;
            }
        }
        return -1;
    }
}
