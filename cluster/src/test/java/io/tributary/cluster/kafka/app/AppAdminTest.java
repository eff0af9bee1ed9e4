package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.cluster.kafka.TopicRules;
import io.tributary.persistence.app.AppTopics.Found;
import io.tributary.persistence.contract.Waiting;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class AppAdminTest {
    private final KafkaConfig config = TestKafka.config();

    /** Each CONNECT of an application whose topic is not there creates it. */
    @Test
    void callsShareOneCreationWhileNoTopicCanBeCreated() {
        AtomicBoolean failing = new AtomicBoolean(true);
        AtomicInteger begun = new AtomicInteger();
        TopicRules rules = rules("erp");
        try (AppAdmin admin = admin((method, _) -> {
            if (method.equals("createTopics") && failing.get()) {
                throw new KafkaException("as the test wants");
            } else if (method.equals("createTopics")) {
                begun.incrementAndGet();
            }
        })) {
            List<CompletableFuture<Found>> calls = IntStream.range(0, 1000)
                    .mapToObj(_ -> admin.create(rules, new TopicPartition(rules.topic(), 0)))
                    .toList();
            failing.set(false);
            assertThat(calls.stream().map(Waiting::get).distinct()).hasSize(1);
            assertThat(begun.get()).isBetween(1, 2);
        }
    }

    @Test
    void topicIsCreatedAfterAnError() {
        AtomicBoolean failing = new AtomicBoolean(true);
        try (AppAdmin admin = admin((method, _) -> {
            if (method.equals("createTopics") && failing.getAndSet(false)) {
                throw new StackOverflowError("as the test wants");
            }
        })) {
            assertThat(get(admin.create(rules("erp"), partition("erp"))).end()).isZero();
        }
    }

    /** Kafka would answer once it has made the logs of all topics before. */
    @Test
    void whereATopicEndsIsAskedOfOneThatWasThere() {
        AtomicInteger asked = new AtomicInteger();
        try (AppAdmin admin = admin((method, _) -> {
            if (method.equals("listOffsets")) {
                asked.incrementAndGet();
            }
        })) {
            Found made = get(admin.create(rules("erp"), partition("erp")));
            assertThat(made.end()).isZero();
            assertThat(asked).hasValue(0);
            try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
                    Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, config.bootstrapServers()),
                    new ByteArraySerializer(),
                    new ByteArraySerializer())) {
                Future<?> _ = producer.send(new ProducerRecord<>(rules("erp").topic(), 0, null, new byte[1]));
            }
            assertThat(get(admin.create(rules("erp"), partition("erp")))).isEqualTo(new Found(made.id(), 1));
        }
    }

    /** Also the first time: after a restart CONNECTs would wait behind requests for each application. */
    @Test
    void twoRequestsFindAllTopics() {
        Map<String, AtomicInteger> requests = new ConcurrentHashMap<>();
        try (AppAdmin admin = admin((method, _) ->
                requests.computeIfAbsent(method, _ -> new AtomicInteger()).incrementAndGet())) {
            List<String> clients = List.of("a", "b", "c");
            clients.forEach(client -> {
                get(admin.create(rules(client), partition(client)));
                until(() ->
                        admin.find(List.of(partition(client))).values().stream().allMatch(found -> get(found) != null));
            });
            requests.clear();
            assertThat(admin
                            .find(Stream.concat(clients.stream(), Stream.of("absent"))
                                    .map(this::partition)
                                    .toList())
                            .values()
                            .stream()
                            .filter(found -> get(found) != null))
                    .hasSize(3);
            assertThat(requests.values().stream().mapToInt(AtomicInteger::get)).containsExactly(1, 1);
        }
    }

    private AppAdmin admin(WatchedAdmin.Watcher watcher) {
        return new AppAdmin(WatchedAdmin.of(config, watcher), "node", KafkaRecorder.NONE);
    }

    private TopicPartition partition(String client) {
        return new TopicPartition(rules(client).topic(), 0);
    }

    private TopicRules rules(String client) {
        return TopicRules.app(config, config.topicPrefix() + ".app." + client, 1, -1, TestKafka.LARGEST_PACKET);
    }
}
