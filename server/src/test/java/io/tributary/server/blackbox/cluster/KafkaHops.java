package io.tributary.server.blackbox.cluster;

import static io.tributary.server.blackbox.cluster.TwoNodesTest.cluster;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * How many records of Kafka a message costs, counted in the topics themselves: with a persistent subscriber one at QoS
 * 1 and two at QoS 2 (and a third, behind them, for its PUBREL), with transient subscribers on all nodes none.
 */
abstract class KafkaHops {
    private static final int MESSAGES = 500;
    private static final long PERSISTENT = 3_600;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Records a second that no message causes: heartbeats of both nodes, save points, what the group has read. */
    private static final int IDLE_A_SECOND = 40;

    private static KafkaRecords kafka;

    private final List<TestClient> clients = new ArrayList<>();
    private Map<String, Long> before = Map.of();
    private long beforeNanos;

    @BeforeAll
    static void look() {
        kafka = new KafkaRecords(cluster.kafka().bootstrapServers());
        new Probe(cluster).await(List.copyOf(cluster.nodes()), PATIENCE);
    }

    @AfterAll
    static void stopLooking() {
        kafka.close();
    }

    @BeforeEach
    void lookFirst() {
        before = kafka.written();
        beforeNanos = System.nanoTime();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(TestClient::close);
    }

    @Test
    void oneRecordWhenTheSubscriberIsPersistent() throws IOException {
        TestClient subscriber = subscriber("n2", "one-subscriber", PERSISTENT, "one/#", QoS.AT_LEAST_ONCE);
        publish(connect("n1", "one-publisher", 0), "one/", QoS.AT_LEAST_ONCE);
        receive(subscriber, "one/");
        assertThat(records("one/")).containsExactlyInAnyOrderEntriesOf(Map.of("Publish", MESSAGES));
        assertNothingElseGrew(MESSAGES);
    }

    @Test
    void noRecordWhenAllSubscribersAreTransient() throws IOException {
        TestClient here = subscriber("n1", "none-here", 0, "none/#", QoS.AT_LEAST_ONCE);
        TestClient there = subscriber("n2", "none-there", 0, "none/#", QoS.AT_LEAST_ONCE);
        publish(connect("n1", "none-publisher", 0), "none/", QoS.AT_LEAST_ONCE);
        receive(here, "none/");
        receive(there, "none/");
        assertThat(records("none/")).isEmpty();
        assertNothingElseGrew(0);
    }

    @Test
    void twoRecordsAndOneForThePubrelWhenAPersistentClientPublishesAtQos2() throws IOException {
        TestClient subscriber = subscriber("n2", "two-subscriber", PERSISTENT, "two/#", QoS.AT_LEAST_ONCE);
        publish(connect("n1", "two/publisher", PERSISTENT), "two/", QoS.EXACTLY_ONCE);
        receive(subscriber, "two/");
        assertThat(records("two/"))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("Relay", MESSAGES, "Publish", MESSAGES, "Release", MESSAGES));
        assertNothingElseGrew(3 * MESSAGES);
    }

    /**
     * The events of the shards' logs about messages whose topics, or of clients whose identifiers, begin so; by kind.
     */
    private static Map<String, Integer> records(String prefix) {
        Map<String, Integer> records = new HashMap<>();
        for (byte[] value : kafka.values(TestCluster.SHARDS)) {
            ShardEvent event = EventCodec.decode(value);
            String about = switch (event) {
                case ShardEvent.Publish publish -> publish.message().topic();
                case ShardEvent.Relay relay -> relay.message().topic();
                case ShardEvent.Release release -> release.clientId();
                default -> "";
            };
            if (about.startsWith(prefix)) {
                records.merge(event.getClass().getSimpleName(), 1, Integer::sum);
            }
        }
        return records;
    }

    /** All topics together grew by so many records, and besides by no more than they do without messages. */
    private void assertNothingElseGrew(int records) {
        Map<String, Long> now = kafka.written();
        long seconds = 1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beforeNanos);
        now.forEach((topic, end) -> {
            long grown = end - before.getOrDefault(topic, 0L) - (topic.equals(TestCluster.SHARDS) ? records : 0);
            assertThat(grown).as("%s, in %d s", topic, seconds).isBetween(0L, IDLE_A_SECOND * seconds);
        });
    }

    private TestClient connect(String node, String clientId, long expirySeconds) throws IOException {
        TestClient client = TestClient.open(cluster.node(node).tcpPort(), ProtocolVersion.MQTT_5);
        clients.add(client);
        client.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, clientId, expirySeconds), PATIENCE);
        return client;
    }

    private TestClient subscriber(String node, String clientId, long expirySeconds, String filter, QoS qos)
            throws IOException {
        TestClient client = connect(node, clientId, expirySeconds);
        client.send(new Subscribe(
                1, List.of(new Subscription(filter, qos, false, false, RetainHandling.SEND)), 0, List.of()));
        client.await(Suback.class, PATIENCE);
        return client;
    }

    /** Publishes them one after the other, each when the one before is finished. */
    private static void publish(TestClient publisher, String prefix, QoS qos) throws IOException {
        for (int i = 0; i < MESSAGES; i++) {
            publisher.send(TestTalk.publication(prefix + i, "m", qos, false, 1));
            if (qos == QoS.AT_LEAST_ONCE) {
                assertThat(publisher.await(Puback.class, PATIENCE).reason()).isEqualTo(ReasonCode.SUCCESS);
            } else {
                assertThat(publisher.await(Pubrec.class, PATIENCE).reason()).isEqualTo(ReasonCode.SUCCESS);
                publisher.send(new Pubrel(1, ReasonCode.SUCCESS, null, List.of()));
                publisher.await(Pubcomp.class, PATIENCE);
            }
        }
    }

    /** Receives and acknowledges all of them, in order. */
    private static void receive(TestClient subscriber, String prefix) throws IOException {
        for (int i = 0; i < MESSAGES; i++) {
            Publish publish = subscriber.await(Publish.class, PATIENCE);
            assertThat(publish.topic()).isEqualTo(prefix + i);
            subscriber.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
        }
    }
}
