package io.tributary.cluster.kafka.app;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the bytes that all feeds of a node have read ahead. Safe for all threads. */
final class ReadAhead {
    private final long limit;
    private final AtomicLong bytes = new AtomicLong();

    ReadAhead(long limit) {
        this.limit = limit;
    }

    void add(long more) {
        bytes.addAndGet(more);
    }

    /** Whether it is time to read no further but for those that wait. */
    boolean isExceeded() {
        return bytes.get() > limit;
    }
}
