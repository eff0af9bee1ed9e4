package io.tributary.cluster.kafka;

/** What appends to Kafka, and keeps each record until Kafka has acknowledged it. */
public interface Appending {

    /**
     * For how long, in ns, the oldest of its records has waited; 0 where none waits. Looks at each partition; any
     * thread, never blocks for long.
     */
    long oldestAppendNanos();
}
