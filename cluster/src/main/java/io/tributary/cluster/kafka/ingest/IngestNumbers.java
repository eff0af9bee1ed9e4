package io.tributary.cluster.kafka.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tributary.cluster.kafka.ClientProperties;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaClients;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.WholeTopic;
import io.tributary.common.event.Source;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that stand for ingest partitions in a {@link Source}, where real shards have theirs. All nodes know the
 * same ones for ever: the first record in {@code <prefix>.ingest} with the identity of a topic registers it, and the
 * offset of that record is its number, so nodes that register a topic at the same time agree without a word. Kafka
 * gives a topic another identity when it is created again, so its offsets from 0 are no repeats of the former ones.
 *
 * <p>Confined to one thread; blocks for as long as Kafka needs, within the configured time.
 */
final class IngestNumbers {
    /** How many partitions a topic may have: so many numbers are set aside for each. */
    static final int MAX_PARTITIONS = 1024;

    private static final long MAX_TOPICS = (IngestPositions.WITH_EPOCH - Source.FIRST_INGEST) / MAX_PARTITIONS;

    private final KafkaConfig config;
    private final String clientId;
    private final Map<Uuid, Long> known = new HashMap<>();
    private final Set<String> names = new HashSet<>();
    private long readUpTo;

    IngestNumbers(KafkaConfig config, String clientId) {
        this.config = config;
        this.clientId = clientId;
    }

    /**
     * The numbers of the partitions 0 of topics as they are now; that of partition {@code n} is higher by {@code n}.
     * Topics that have none are registered.
     *
     * @throws KafkaException or {@link KafkaAccessException} when Kafka does not answer, or a topic is not there
     */
    Map<String, Integer> of(List<String> topics) {
        Map<String, Uuid> identities = identities(topics);
        if (!known.keySet().containsAll(identities.values())) {
            readToEnd();
            identities.forEach((topic, identity) -> {
                if (!known.containsKey(identity)) {
                    register(topic, identity);
                }
            });
            readToEnd();
        }
        Map<String, Integer> numbers = new HashMap<>();
        identities.forEach((topic, identity) -> numbers.put(topic, number(topic, known.get(identity))));
        return numbers;
    }

    /** The numbers of all topics that were ever registered and are still the same; registers none. */
    Map<String, Integer> registered() {
        readToEnd();
        List<String> there =
                names.stream().filter(KafkaTopics.names(config)::contains).toList();
        Map<String, Integer> numbers = new HashMap<>();
        identities(there).forEach((topic, identity) -> {
            if (known.containsKey(identity)) {
                numbers.put(topic, number(topic, known.get(identity)));
            }
        });
        return numbers;
    }

    private static int number(String topic, @Nullable Long registered) {
        if (registered == null || registered >= MAX_TOPICS) {
            throw new KafkaAccessException("topic " + topic + " has no number in the topic of numbers: " + registered);
        }
        return Math.toIntExact(Source.FIRST_INGEST + registered * MAX_PARTITIONS);
    }

    private Map<String, Uuid> identities(List<String> topics) {
        Admin admin = KafkaTopics.connect(config);
        try {
            Map<String, Uuid> identities = new HashMap<>();
            await(admin.describeTopics(topics).allTopicNames())
                    .forEach((topic, description) -> identities.put(topic, description.topicId()));
            return identities;
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    private void register(String topic, Uuid identity) {
        try (KafkaProducer<byte[], byte[]> producer =
                KafkaClients.producer(config, ClientProperties.ingestProducer(config, clientId + "-numbers"))) {
            producer.send(new ProducerRecord<>(
                            config.ingestTopic(), 0, identity.toString().getBytes(UTF_8), topic.getBytes(UTF_8)))
                    .get();
        } catch (ExecutionException e) {
            throw new KafkaAccessException("topic " + topic + " cannot be registered: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaAccessException("interrupted while topic " + topic + " was registered", e);
        }
    }

    private void readToEnd() {
        readUpTo = WholeTopic.read(config, clientId + "-numbers", config.ingestTopic(), readUpTo, this::learn);
    }

    private void learn(ConsumerRecord<byte[], byte[]> record) {
        if (record.key() != null) {
            known.putIfAbsent(Uuid.fromString(new String(record.key(), UTF_8)), record.offset());
            names.add(new String(record.value(), UTF_8));
        }
    }

    private <T> T await(KafkaFuture<T> answer) {
        return KafkaTopics.await(config, answer, config.startTimeout());
    }
}
