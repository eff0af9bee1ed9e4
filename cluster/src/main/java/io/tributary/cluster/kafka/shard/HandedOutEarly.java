package io.tributary.cluster.kafka.shard;

import io.tributary.persistence.shard.LogRecord;
import java.util.Arrays;

/**
 * The records of one shard that were handed out and are still to be read back, one after the other: a fingerprint of
 * each. Confined to the polling thread.
 */
final class HandedOutEarly {
    private static final int LEAST = 64;
    private static final int FACTOR = 31;

    private long[] fingerprints = new long[LEAST];
    /** Where the first one is in the array, which is a ring. */
    private int head;

    private int size;

    int size() {
        return size;
    }

    void add(LogRecord record) {
        if (size == fingerprints.length) {
            long[] larger = new long[2 * size];
            for (int i = 0; i < size; i++) {
                larger[i] = fingerprints[(head + i) % size];
            }
            fingerprints = larger;
            head = 0;
        }
        fingerprints[(head + size) % fingerprints.length] = of(record.timeMillis(), record.value());
        size++;
    }

    /** Whether the first one is this record; it counts as read back. */
    boolean readBack(long timeMillis, byte[] value) {
        long first = fingerprints[head];
        skip(1);
        return first == of(timeMillis, value);
    }

    /** The first ones will not be read back. */
    void skip(int count) {
        head = (head + count) % fingerprints.length;
        size -= count;
    }

    void clear() {
        head = 0;
        size = 0;
        if (fingerprints.length > LEAST) {
            fingerprints = new long[LEAST];
        }
    }

    private static long of(long timeMillis, byte[] value) {
        return timeMillis * FACTOR + Arrays.hashCode(value);
    }
}
