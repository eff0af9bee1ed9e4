package io.tributary.cluster.kafka.ingest;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.TopicRules;
import io.tributary.persistence.ingest.IngestOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;

/** The topics of the way back: that of the numbers is created, those of the back-ends only looked at. */
public final class IngestTopics {
    private IngestTopics() {}

    /**
     * Creates the topic of the numbers if it is not there, and checks that those of the back-ends are. Blocks, for at
     * most twice the configured time.
     *
     * @throws KafkaAccessException when Kafka does not answer, or with a sentence for each topic that is missing or
     *     cannot be read
     */
    public static void ensure(KafkaConfig config, IngestOptions options) {
        KafkaTopics.ensure(config, List.of(TopicRules.numbers(config)));
        List<String> needed = new ArrayList<>(options.topics());
        if (options.deadLetters() != null) {
            needed.add(options.deadLetters());
        }
        Admin admin = KafkaTopics.connect(config);
        try {
            Collection<String> existing =
                    KafkaTopics.await(config, admin.listTopics().names(), config.startTimeout());
            List<String> faults = needed.stream()
                    .filter(topic -> !existing.contains(topic))
                    .map(topic -> missing(config, topic))
                    .toList();
            refuse(faults);
            Map<String, TopicDescription> found = new TreeMap<>(KafkaTopics.await(
                    config, admin.describeTopics(options.topics()).allTopicNames(), config.startTimeout()));
            refuse(found.values().stream()
                    .filter(topic -> topic.partitions().size() > IngestNumbers.MAX_PARTITIONS)
                    .map(topic -> "topic " + topic.name() + ": it has "
                            + topic.partitions().size() + " partitions, but at most " + IngestNumbers.MAX_PARTITIONS
                            + " can be read.")
                    .toList());
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    private static String missing(KafkaConfig config, String topic) {
        return "topic " + topic
                + ", which is to be read for subscribers or to take dead letters, is not there, or this broker"
                + " may not see it; create it with kafka-topics.sh --bootstrap-server " + config.bootstrapServers()
                + " --create --topic " + topic + " --partitions 8 --replication-factor " + config.replicationFactor()
                + ".";
    }

    private static void refuse(List<String> faults) {
        if (!faults.isEmpty()) {
            throw new KafkaAccessException(String.join("\n", faults));
        }
    }
}
