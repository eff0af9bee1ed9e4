package io.tributary.server.blackbox.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.server.blackbox.BrokerExtension;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Records that a back-end produces to Kafka come to subscribers, whatever happens to the nodes that read them. */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ClusterIngestTest {
    private static final String COMMANDS = "commands";
    private static final String DEAD = "dead-letters";
    private static final int PARTITIONS = 6;
    private static final int TOPICS = 24;
    private static final int LOAD = Integer.getInteger("ingest.load", 400);
    private static final int KILLS = Integer.getInteger("ingest.kills", 1);
    private static final long LONG = 3_600;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final AtomicInteger TESTS = new AtomicInteger();

    private static TestCluster cluster;
    private static KafkaProducer<String, byte[]> producer;
    private static Admin admin;

    /** Begins every client identifier and topic of the test. */
    private final String name = "ingest" + TESTS.incrementAndGet();

    private final List<TestClient> clients = new ArrayList<>();
    private final Map<String, Integer> produced = new HashMap<>();

    @BeforeAll
    static void start() {
        cluster = TestCluster.in(Scratch.folder("ingest"))
                .nodes(2)
                .topic(COMMANDS, PARTITIONS)
                .topic(DEAD, 1)
                .setting("--tributary.ingest.topics=" + COMMANDS)
                .setting("--tributary.ingest.dead-letters=" + DEAD)
                .start();
        awaitWhole();
        producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        cluster.kafka().bootstrapServers(),
                        ProducerConfig.LINGER_MS_CONFIG,
                        2),
                new StringSerializer(),
                new ByteArraySerializer());
        admin = cluster.kafkaAdmin();
    }

    @AfterAll
    static void stop() {
        cluster.close();
        producer.close();
        admin.close();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(TestClient::close);
    }

    @Test
    void recordArrivesWithAllThatItSays() throws Exception {
        TestClient subscriber = subscriber("n1", "reader", 0, QoS.EXACTLY_ONCE);
        ProducerRecord<String, byte[]> record = record("a", "{}");
        header(record, "mqtt.qos", "2");
        header(record, "mqtt.expiry-seconds", "100");
        header(record, "mqtt.payload-format", "utf-8");
        header(record, "mqtt.content-type", "application/json");
        header(record, "mqtt.response-topic", "answers");
        header(record, "mqtt.correlation-data", "id");
        header(record, "trace", "t1");
        producer.send(record).get();
        Publish publish = subscriber.await(Publish.class, PATIENCE);
        assertThat(publish.topic()).isEqualTo(name + "/a");
        assertThat(new String(publish.payload(), UTF_8)).isEqualTo("{}");
        assertThat(publish.qos()).isEqualTo(QoS.EXACTLY_ONCE);
        assertThat(publish.retain()).isFalse();
        assertThat(publish.messageExpirySeconds()).isBetween(1L, 100L);
        assertThat(publish.properties())
                .isEqualTo(new PublishProperties(
                        PayloadFormat.UTF_8,
                        "application/json",
                        "answers",
                        "id".getBytes(UTF_8),
                        List.of(new UserProperty("trace", "t1"))));
    }

    @Test
    void retainedRecordIsThereForWhoeverSubscribesLater() throws Exception {
        TestClient first = subscriber("n1", "first", 0, QoS.AT_LEAST_ONCE);
        ProducerRecord<String, byte[]> record = record("state", "on");
        header(record, "mqtt.retain", "true");
        producer.send(record).get();
        first.await(Publish.class, PATIENCE);
        Publish retained = subscriber("n2", "later", 0, QoS.AT_LEAST_ONCE).await(Publish.class, PATIENCE);
        assertThat(retained.retain()).isTrue();
        assertThat(new String(retained.payload(), UTF_8)).isEqualTo("on");
    }

    @Test
    void recordsThatAreNoMessagesArePassedOver() throws Exception {
        TestClient subscriber = subscriber("n2", "reader", LONG, QoS.AT_LEAST_ONCE);
        long deadBefore = end(DEAD, 0);
        producer.send(new ProducerRecord<>(COMMANDS, 0, name + "/+", bytes("wildcard")))
                .get();
        producer.send(new ProducerRecord<>(COMMANDS, 0, null, bytes("no topic")))
                .get();
        producer.send(new ProducerRecord<>(COMMANDS, 0, "$SYS/broker", bytes("ours")))
                .get();
        ProducerRecord<String, byte[]> odd = new ProducerRecord<>(COMMANDS, 0, name + "/odd", bytes("odd"));
        header(odd, "mqtt.qos", "7");
        producer.send(odd).get();
        producer.send(new ProducerRecord<>(COMMANDS, 0, name + "/good", bytes("good")))
                .get();
        assertThat(subscriber.await(Publish.class, PATIENCE).topic()).isEqualTo(name + "/good");
        await().atMost(PATIENCE).until(() -> end(DEAD, 0) == deadBefore + 4);
        awaitCommitted();
    }

    @Test
    void offlineSubscriberGetsEverythingLater() throws Exception {
        subscriber("n1", "reader", LONG, QoS.EXACTLY_ONCE).close();
        produce(LOAD);
        awaitCommitted();
        IngestedReceiver receiver = new IngestedReceiver(connect("n2", "reader", LONG));
        receiver.receive(LOAD, PATIENCE);
    }

    /** Both nodes read some partitions; what it had taken and not committed is read again by the other. */
    @Test
    void nothingIsLostOrComesTwiceWhenNodesThatReadAreKilled() throws Exception {
        IngestedReceiver receiver = new IngestedReceiver(subscriber("n1", "reader", LONG, QoS.EXACTLY_ONCE));
        int total = 0;
        for (int i = 0; i < KILLS; i++) {
            total += LOAD;
            produce(LOAD);
            receiver.receive(total - LOAD / 2, PATIENCE);
            cluster.kill("n2");
            total += LOAD;
            produce(LOAD);
            receiver.receive(total, PATIENCE);
            cluster.start("n2");
            awaitWhole();
        }
        awaitCommitted();
        produce(TOPICS);
        receiver.receive(total + TOPICS, PATIENCE);
        assertThat(receiver.count()).isEqualTo(total + TOPICS);
    }

    /** When it goes on it still has records that another node has published meanwhile. */
    @Test
    void nothingComesTwiceWhenNodeThatReadsStandsStill() throws Exception {
        IngestedReceiver receiver = new IngestedReceiver(subscriber("n1", "reader", LONG, QoS.EXACTLY_ONCE));
        produce(LOAD);
        receiver.receive(LOAD / 2, PATIENCE);
        cluster.node("n2").pause();
        try {
            produce(LOAD);
            receiver.receive(2 * LOAD, PATIENCE);
        } finally {
            cluster.node("n2").resume();
        }
        produce(LOAD);
        receiver.receive(3 * LOAD, PATIENCE);
        awaitWhole();
        awaitCommitted();
        produce(TOPICS);
        receiver.receive(3 * LOAD + TOPICS, PATIENCE);
        assertThat(receiver.count()).isEqualTo(3 * LOAD + TOPICS);
    }

    private static void awaitWhole() {
        new Probe(cluster).await(List.copyOf(cluster.nodes()), PATIENCE);
    }

    /** Produces numbered messages of QoS 2, over some topics, and waits until Kafka has them. */
    private void produce(int count) {
        for (int i = 0; i < count; i++) {
            String topic = "t" + i % TOPICS;
            int number = produced.merge(topic, 1, Integer::sum) - 1;
            ProducerRecord<String, byte[]> record = record(topic, Integer.toString(number));
            header(record, "mqtt.qos", "2");
            var _ = producer.send(record);
        }
        producer.flush();
    }

    private ProducerRecord<String, byte[]> record(String topic, String payload) {
        return new ProducerRecord<>(COMMANDS, name + "/" + topic, bytes(payload));
    }

    private static void header(ProducerRecord<String, byte[]> record, String header, String value) {
        record.headers().add(new RecordHeader(header, bytes(value)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** Waits until the group has committed all that was produced. */
    private static void awaitCommitted() {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(() -> {
            Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets("tributary.ingest")
                    .partitionsToOffsetAndMetadata()
                    .get();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                OffsetAndMetadata offset = committed.get(new TopicPartition(COMMANDS, partition));
                long end = end(COMMANDS, partition);
                if (end > 0 && (offset == null || offset.offset() != end)) {
                    return false;
                }
            }
            return true;
        });
    }

    private static long end(String topic, int partition) throws ExecutionException, InterruptedException {
        TopicPartition of = new TopicPartition(topic, partition);
        return admin.listOffsets(Map.of(of, OffsetSpec.latest()))
                .partitionResult(of)
                .get()
                .offset();
    }

    private TestClient subscriber(String node, String client, long expirySeconds, QoS qos) throws IOException {
        TestClient subscriber = connect(node, client, expirySeconds);
        Subscription subscription = new Subscription(name + "/#", qos, false, false, RetainHandling.SEND);
        subscriber.send(new Subscribe(1, List.of(subscription), 0, List.of()));
        assertThat(subscriber.await(Suback.class, PATIENCE).reasons())
                .allMatch(reason -> reason == ReasonCode.GRANTED_QOS_1 || reason == ReasonCode.GRANTED_QOS_2);
        return subscriber;
    }

    private TestClient connect(String node, String client, long expirySeconds) throws IOException {
        TestClient connected = TestClient.open(cluster.node(node).tcpPort(), ProtocolVersion.MQTT_5);
        clients.add(connected);
        connected.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, name + client, expirySeconds), PATIENCE);
        return connected;
    }
}
