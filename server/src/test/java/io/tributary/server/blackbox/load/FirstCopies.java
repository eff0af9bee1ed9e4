package io.tributary.server.blackbox.load;

import java.util.Arrays;
import java.util.BitSet;

/**
 * What one subscriber got of one publisher: which numbers, and on which of its connections the first copy of each came.
 */
final class FirstCopies {
    private static final int FIRST_SIZE = 1_024;

    private final BitSet numbers = new BitSet();

    /** By number; only those in {@link #numbers} mean something. */
    private int[] connections = new int[FIRST_SIZE];

    /** By number: how many faults there had been. */
    private int[] faults = new int[FIRST_SIZE];

    /** The highest number, -1 without any. */
    private int last = -1;

    boolean has(int number) {
        return numbers.get(number);
    }

    int last() {
        return last;
    }

    int count() {
        return numbers.cardinality();
    }

    int connection(int number) {
        return connections[number];
    }

    void add(int number, int connection, int faultCount) {
        if (number >= connections.length) {
            int size = Math.max(number + 1, 2 * connections.length);
            connections = Arrays.copyOf(connections, size);
            faults = Arrays.copyOf(faults, size);
        }
        numbers.set(number);
        connections[number] = connection;
        faults[number] = faultCount;
        last = Math.max(last, number);
    }

    /**
     * Whether another copy of a QoS 1 message that was published once may come: on a later connection, with DUP, or
     * after a fault, which may have taken with it that the message was sent before.
     */
    boolean mayComeAgain(int number, boolean dup, int connection, int faultCount) {
        return connection > connections[number] && (dup || faultCount > faults[number]);
    }

    /** Those of the given numbers that did not come. */
    BitSet missing(BitSet wanted) {
        BitSet missing = (BitSet) wanted.clone();
        missing.andNot(numbers);
        return missing;
    }
}
