package io.tributary.broker.shard;

import java.util.Arrays;

/** A growing list of numbers without boxing. */
final class LongList {
    private long[] values = new long[8];
    private int size;

    void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, size * 2);
        }
        values[size++] = value;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    long[] toArray() {
        return Arrays.copyOf(values, size);
    }
}
