package io.tributary.cluster.kafka;

/**
 * Counts what the adapters of Kafka do. Called on their threads and on those of their callers, on hot paths: it must be
 * quick, never block and never throw.
 */
public interface KafkaRecorder {

    /** Counts nothing. */
    KafkaRecorder NONE = new KafkaRecorder() {};

    /** A record was refused because too much waits for Kafka, or its topic is unknown for the moment. */
    default void onRefusal() {}

    /** Records were read: of a shard, a map, or an application's topic; also those that their reader has already. */
    default void onRecords(int records) {}

    /** Records of shards were handed to their reader before they were read. */
    default void onEarlyRecords(int records) {}

    /** A record of an application's topic is not one that can be read; it was skipped. */
    default void onUnreadableRecord() {}

    /** A record of the shards' topic was not produced by a broker; it was skipped. */
    default void onForeignRecord() {}

    /** Reading, or asking Kafka something, failed; it is tried again. */
    default void onError() {}
}
