package io.tributary.persistence.kafka;

import io.tributary.common.mqtt.Message;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record that a consumer of ours has acquired.
 *
 * @param taker the consumer, which alone can answer it
 * @param message what it says, or null when it cannot be read
 * @param deliveries how often it was acquired by anybody
 */
record HeldMessage(
        ShareTaker taker,
        ConsumerRecord<byte[], byte[]> record,
        @Nullable Message message,
        int deliveries) {

    /** Where it is in its topic. */
    Place place() {
        return new Place(record.partition(), record.offset());
    }

    /** A position in a topic. */
    record Place(int partition, long offset) {}
}
