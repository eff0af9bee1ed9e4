package io.tributary.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalKafkaTest {
    private static final String TOPIC = "numbers";
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    @Test
    void keepsWhatItAcknowledgedWhenKilledAndStartedAgain() {
        try (LocalKafka kafka = LocalKafka.in(directory).start()) {
            createTopic(kafka);
            produce(kafka, "one");

            kafka.kill(1);
            assertThat(kafka.isRunning(1)).isFalse();
            kafka.restart(1);

            produce(kafka, "two");
            assertThat(consume(kafka, 2)).containsExactly("one", "two");
        }
    }

    @Tag("long")
    @Test
    void acknowledgesWithTwoOfThreeBrokers() {
        try (LocalKafka kafka = LocalKafka.in(directory).brokers(3).start()) {
            createTopic(kafka);
            assertThat(minimumInSync(kafka)).isEqualTo("2");
            produce(kafka, "one");

            kafka.kill(leader(kafka));
            produce(kafka, "two");

            assertThat(consume(kafka, 2)).containsExactly("one", "two");
        }
    }

    @Test
    void goesOnAfterAPause() {
        try (LocalKafka kafka = LocalKafka.in(directory).start()) {
            createTopic(kafka);
            kafka.pause(1);
            assertThat(kafka.isRunning(1)).isTrue();
            kafka.resume(1);
            produce(kafka, "one");
            assertThat(consume(kafka, 1)).containsExactly("one");
        }
    }

    @Test
    void startsAgainInTheSameDirectoryAfterAnOrderlyStop() {
        try (LocalKafka kafka = LocalKafka.in(directory).start()) {
            createTopic(kafka);
            produce(kafka, "one");
            kafka.stop();
            assertThat(kafka.isRunning(1)).isFalse();
        }
        try (LocalKafka kafka = LocalKafka.in(directory).start()) {
            assertThat(consume(kafka, 1)).containsExactly("one");
        }
    }

    @Test
    void sharesOneBrokerInAJvm() {
        assertThat(LocalKafka.shared()).isSameAs(LocalKafka.shared());
        assertThat(LocalKafka.shared().isRunning(1)).isTrue();
    }

    @Test
    void hasShareGroups() {
        LocalKafka kafka = LocalKafka.shared();
        ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, "sharers");
        AlterConfigOp fromTheStart =
                new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            get(admin.incrementalAlterConfigs(Map.of(group, List.of(fromTheStart)))
                    .all());
        }
        createTopic(kafka);
        produce(kafka, "one");

        Map<String, Object> settings = Map.of("bootstrap.servers", kafka.bootstrapServers(), "group.id", "sharers");
        try (var consumer = new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            Awaitility.await()
                    .atMost(LIMIT)
                    .until(() -> consumer.poll(Duration.ofMillis(100)).count() == 1);
        }
    }

    private static void createTopic(LocalKafka kafka) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            get(admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) kafka.size())))
                    .all());
        }
    }

    private static String minimumInSync(LocalKafka kafka) {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, TOPIC);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            return onlyValue(get(admin.describeConfigs(List.of(topic)).all()))
                    .get("min.insync.replicas")
                    .value();
        }
    }

    private static int leader(LocalKafka kafka) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            return onlyValue(get(admin.describeTopics(List.of(TOPIC)).allTopicNames()))
                    .partitions()
                    .getFirst()
                    .leader()
                    .id();
        }
    }

    private static void produce(LocalKafka kafka, String value) {
        Map<String, Object> settings = Map.of("bootstrap.servers", kafka.bootstrapServers(), "acks", "all");
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            RecordMetadata written = producer.send(new ProducerRecord<>(TOPIC, value.getBytes(StandardCharsets.UTF_8)))
                    .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(written.hasOffset()).isTrue();
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> consume(LocalKafka kafka, int count) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "auto.offset.reset", "earliest");
        List<String> values = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(new TopicPartition(TOPIC, 0)));
            Awaitility.await().atMost(LIMIT).until(() -> {
                consumer.poll(Duration.ofMillis(100))
                        .forEach(record -> values.add(new String(record.value(), StandardCharsets.UTF_8)));
                return values.size() >= count;
            });
        }
        return values;
    }

    private static <T> T onlyValue(Map<?, T> map) {
        return map.values().iterator().next();
    }

    private static <T> T get(KafkaFuture<T> future) {
        try {
            return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }
}
