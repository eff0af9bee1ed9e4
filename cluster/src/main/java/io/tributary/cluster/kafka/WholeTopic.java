package io.tributary.cluster.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Reads topics of one partition that have few records, each of which counts. */
public final class WholeTopic {
    private static final Duration POLL = Duration.ofMillis(100);

    private WholeTopic() {}

    /**
     * Hands out the records from an offset to the end as it is now, in order. Blocks, for at most the configured time.
     *
     * @param clientId of the consumer, which belongs to no group
     * @return the offset at which the next call goes on
     * @throws org.apache.kafka.common.KafkaException or {@link KafkaAccessException} when Kafka does not answer
     */
    public static long read(
            KafkaConfig config,
            String clientId,
            String topic,
            long from,
            Consumer<ConsumerRecord<byte[], byte[]>> reader) {
        TopicPartition partition = new TopicPartition(topic, 0);
        List<TopicPartition> assigned = List.of(partition);
        try (KafkaConsumer<byte[], byte[]> consumer =
                KafkaClients.consumer(config, ClientProperties.topicConsumer(config, clientId))) {
            consumer.assign(assigned);
            consumer.seek(partition, from);
            long end = consumer.endOffsets(assigned, config.startTimeout())
                    .values()
                    .iterator()
                    .next();
            long deadline = System.nanoTime() + config.startTimeout().toNanos();
            long position = from;
            while (position < end) {
                if (System.nanoTime() - deadline >= 0) {
                    throw new KafkaAccessException("topic " + topic + " cannot be read");
                }
                consumer.poll(POLL).forEach(reader);
                position = consumer.position(partition);
            }
            return position;
        }
    }

    /**
     * The latest value of each key of a map's topic, for those that do not follow the map. Blocks, for at most the
     * configured time.
     *
     * @throws KafkaAccessException when Kafka does not answer
     */
    public static Map<String, byte[]> latest(KafkaConfig config, String topic) {
        Map<String, byte[]> values = new HashMap<>();
        try {
            long _ = read(
                    config,
                    topic,
                    topic,
                    0,
                    record ->
                            values.compute(new String(record.key(), StandardCharsets.UTF_8), (_, _) -> record.value()));
        } catch (KafkaException e) {
            throw new KafkaAccessException("topic " + topic + " cannot be read: " + e, e);
        }
        return values;
    }
}
