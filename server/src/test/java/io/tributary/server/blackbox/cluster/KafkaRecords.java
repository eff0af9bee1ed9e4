package io.tributary.server.blackbox.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads the topics of a Kafka, as anybody could, to find out what was written to them, and not taken back with a
 * transaction. One thread at a time.
 */
public final class KafkaRecords implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);

    private final KafkaConsumer<byte[], byte[]> consumer;

    /** Connects to a Kafka that asks nobody who he is. */
    public KafkaRecords(String bootstrapServers) {
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.EXCLUDE_INTERNAL_TOPICS_CONFIG,
                        false,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** How many records were written to each topic since it was created, those deleted since included. */
    public Map<String, Long> written() {
        Map<String, Long> written = new HashMap<>();
        for (List<PartitionInfo> topic : consumer.listTopics().values()) {
            consumer.endOffsets(partitions(topic))
                    .forEach((partition, end) -> written.merge(partition.topic(), end, Long::sum));
        }
        return written;
    }

    /** The values of all records that a topic has, each partition's in order. */
    public List<byte[]> values(String topic) {
        return records(topic).stream().map(ConsumerRecord::value).toList();
    }

    /** All records that a topic has, each partition's in order. */
    public List<ConsumerRecord<byte[], byte[]>> records(String topic) {
        List<TopicPartition> partitions = partitions(consumer.partitionsFor(topic));
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        while (partitions.stream()
                .anyMatch(partition -> consumer.position(partition) < ends.getOrDefault(partition, 0L))) {
            consumer.poll(POLL).forEach(records::add);
        }
        return records;
    }

    private static List<TopicPartition> partitions(List<PartitionInfo> topic) {
        return topic.stream()
                .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                .toList();
    }

    @Override
    public void close() {
        consumer.close();
    }
}
