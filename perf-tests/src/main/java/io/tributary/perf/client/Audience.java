package io.tributary.perf.client;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How many deliveries a message of each source leads to at present. It changes only where clients come and go that miss
 * what is published meanwhile. Thread-safe.
 */
final class Audience {
    private final AtomicIntegerArray fanOut;

    Audience(int[] fanOut) {
        this.fanOut = new AtomicIntegerArray(fanOut);
    }

    /** The deliveries that are due for a message sent now. */
    int of(int source) {
        return fanOut.getPlain(source);
    }

    /** One receiver more or less. */
    void change(int[] sources, int by) {
        for (int source : sources) {
            fanOut.addAndGet(source, by);
        }
    }
}
