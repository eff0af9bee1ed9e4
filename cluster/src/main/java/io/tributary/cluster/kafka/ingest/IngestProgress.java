package io.tributary.cluster.kafka.ingest;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaTopics;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** How far the nodes of a cluster have come with the records of back-ends. */
public final class IngestProgress {
    private IngestProgress() {}

    /**
     * A partition of which some shards may have a record that others have not got: the group has not committed it, and
     * would read it again. Blocks while Kafka is asked.
     *
     * @param topics those that are read; what other topics had is with nobody to finish
     * @param latest the offset of the latest source that any shard has, by its number
     * @return the name of one, or null where there is none
     * @throws io.tributary.cluster.kafka.KafkaAccessException when Kafka does not answer
     */
    public static @Nullable String unfinished(
            KafkaConfig config, Collection<String> topics, Map<Integer, Long> latest) {
        if (latest.isEmpty()) {
            return null;
        }
        Map<TopicPartition, OffsetAndMetadata> committed = committed(config);
        for (Map.Entry<String, Integer> topic : new IngestNumbers(config, config.ingestTopic() + "-progress")
                .registered()
                .entrySet()) {
            if (!topics.contains(topic.getKey())) {
                continue;
            }
            int first = topic.getValue();
            for (Map.Entry<Integer, Long> of : latest.entrySet()) {
                int partition = of.getKey() % IngestPositions.WITH_EPOCH - first;
                if (partition >= 0 && partition < IngestNumbers.MAX_PARTITIONS) {
                    TopicPartition id = new TopicPartition(topic.getKey(), partition);
                    OffsetAndMetadata next = committed.get(id);
                    if (next == null || !IngestPositions.isDone(next, of.getKey(), of.getValue())) {
                        return id.toString();
                    }
                }
            }
        }
        return null;
    }

    private static Map<TopicPartition, OffsetAndMetadata> committed(KafkaConfig config) {
        Admin admin = KafkaTopics.connect(config);
        try {
            return KafkaTopics.await(
                    config,
                    admin.listConsumerGroupOffsets(config.ingestTopic()).partitionsToOffsetAndMetadata(),
                    config.startTimeout());
        } finally {
            admin.close(Duration.ZERO);
        }
    }
}
