package io.tributary.perf.client;

/**
 * The messages of one publisher that are not acknowledged in full, by their packet identifiers. Identifiers go round,
 * so that acknowledgements in order find the next one free. Not thread-safe.
 */
final class InFlight {
    private final long[] dueNanos;
    private final long[] sequences;
    private final int[] topics;
    private final int[] fanOuts;
    private final boolean[] measured;
    private final boolean[] received;
    private int size;
    private int last;

    /** With room for so many. */
    InFlight(int capacity) {
        dueNanos = new long[capacity];
        sequences = new long[capacity];
        topics = new int[capacity];
        fanOuts = new int[capacity];
        measured = new boolean[capacity];
        received = new boolean[capacity];
    }

    boolean isFull() {
        return size == sequences.length;
    }

    int size() {
        return size;
    }

    /** Adds a message; answers its packet identifier. */
    int add(int topic, long sequence, long due, int fanOut, boolean isMeasured) {
        int slot = last;
        while (sequences[slot] != 0) {
            slot = slot + 1 == sequences.length ? 0 : slot + 1;
        }
        last = slot + 1 == sequences.length ? 0 : slot + 1;
        sequences[slot] = sequence;
        topics[slot] = topic;
        fanOuts[slot] = fanOut;
        dueNanos[slot] = due;
        measured[slot] = isMeasured;
        received[slot] = false;
        size++;
        return slot + 1;
    }

    /** Whether a message has this identifier. */
    boolean has(int packetId) {
        return packetId <= sequences.length && sequences[packetId - 1] != 0;
    }

    /** Takes a message out. */
    void remove(int packetId) {
        sequences[packetId - 1] = 0;
        size--;
    }

    /** When it was to be sent. */
    long dueNanos(int packetId) {
        return dueNanos[packetId - 1];
    }

    int topic(int packetId) {
        return topics[packetId - 1];
    }

    /** How many deliveries it was to lead to when it was sent. */
    int fanOut(int packetId) {
        return fanOuts[packetId - 1];
    }

    /** Whether it was first sent in a measured step. */
    boolean isMeasured(int packetId) {
        return measured[packetId - 1];
    }

    long sequence(int packetId) {
        return sequences[packetId - 1];
    }

    /** Notes the PUBREC of a QoS 2 message. */
    void setReceived(int packetId) {
        received[packetId - 1] = true;
    }

    boolean isReceived(int packetId) {
        return received[packetId - 1];
    }

    /** The identifiers in the order in which their messages were sent, as long as they are acknowledged in order. */
    int[] inOrder() {
        int[] ids = new int[size];
        int found = 0;
        for (int i = 0; i < sequences.length; i++) {
            int slot = (last + i) % sequences.length;
            if (sequences[slot] != 0) {
                ids[found++] = slot + 1;
            }
        }
        return ids;
    }
}
