package io.tributary.broker.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsuback;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A broker whose memory for subscriptions is small, and clients that take all of it. */
class FullSubscriptionsTest {
    private static final long FOR_LONG = 3_600;
    private static final long MAX_SIZE = 64 << 10;

    @TempDir
    private Path data;

    private SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private Broker broker;

    @BeforeEach
    void start() {
        start(MAX_SIZE);
    }

    private void start(long maxSize) {
        meters = new SimpleMeterRegistry();
        broker = Broker.start(
                BrokerConfig.builder(data)
                        .listener(ListenerConfig.tcp("tcp", 0))
                        .subscriptions(limits -> limits.maxSize(maxSize))
                        .build(),
                BrokerExtensions.builder().build(),
                new BrokerMetrics(meters));
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @ParameterizedTest
    @CsvSource({
        "MQTT_3_1_1, UNSPECIFIED_ERROR, 0",
        "MQTT_3_1_1, UNSPECIFIED_ERROR, 3600",
        "MQTT_5, QUOTA_EXCEEDED, 0",
        "MQTT_5, QUOTA_EXCEEDED, 3600"
    })
    void newSubscriptionsAreRefusedAsLongAsAllIsTaken(ProtocolVersion version, ReasonCode refused, long expiry)
            throws IOException {
        try (TestClient first = connect(version, "first", expiry);
                TestClient second = connect(version, "second", expiry);
                TestClient third = connect(version, "the third", expiry)) {
            List<ReasonCode> granted = subscribe(first, filters(0, 30));
            assertThat(granted).containsOnly(ReasonCode.GRANTED_QOS_1);
            granted = subscribe(second, filters(0, 500));
            assertThat(granted).startsWith(ReasonCode.GRANTED_QOS_1).endsWith(refused);
            assertThat(subscribe(third, filters(0, 1))).containsExactly(refused);
            assertThat(refused())
                    .isEqualTo(granted.stream().filter(refused::equals).count() + 1);

            assertThat(subscribe(first, filters(0, 30))).containsOnly(ReasonCode.GRANTED_QOS_1);
            unsubscribe(first, filters(0, 10));
            assertThat(subscribe(third, filters(0, 1))).containsExactly(ReasonCode.GRANTED_QOS_1);
            assertReceives(third, "f/0");
        }
    }

    /** It leaves sessions, each with as much as a client may have, and comes with another client identifier. */
    @Test
    void clientThatFillsTheMemoryInEverNewSessionsTakesNothingFromOthers() throws IOException {
        try (TestClient other = connect(ProtocolVersion.MQTT_5, "other", FOR_LONG)) {
            assertThat(subscribe(other, Stream.of("good/+"))).containsExactly(ReasonCode.GRANTED_QOS_1);
        }
        int sessions = leaveSessionsUntilRefused();
        assertThat(sessions).isGreaterThan(1);
        assertThat(broker.status().subscriptionMemory().bytes()).isBetween(MAX_SIZE / 2, MAX_SIZE);
        assertOtherIsServed();

        broker.close();
        start(MAX_SIZE / 2); // there is too much already
        assertThat(broker.status().subscriptionMemory().bytes()).isGreaterThan(MAX_SIZE / 2);
        assertOtherIsServed();
        try (TestClient newcomer = connect(ProtocolVersion.MQTT_5, "newcomer", 0)) {
            assertThat(subscribe(newcomer, Stream.of("a"))).containsExactly(ReasonCode.QUOTA_EXCEEDED);
        }

        for (int i = 0; i < sessions; i++) {
            connect(ProtocolVersion.MQTT_5, "filler" + i, 0).close(); // which ends the session
        }
        await().untilAsserted(() ->
                assertThat(broker.status().subscriptionMemory().bytes()).isBetween(1L, 1_000L));
        connect(ProtocolVersion.MQTT_5, "other", 0).close();
        await().untilAsserted(() ->
                assertThat(broker.status().subscriptionMemory().bytes()).isZero());
    }

    private int leaveSessionsUntilRefused() throws IOException {
        for (int i = 0; i < 1_000; i++) {
            try (TestClient filler = connect(ProtocolVersion.MQTT_5, "filler" + i, FOR_LONG)) {
                if (subscribe(filler, filters(0, 20)).contains(ReasonCode.QUOTA_EXCEEDED)) {
                    return i + 1;
                }
            }
        }
        throw new AssertionError("nothing was refused");
    }

    private void assertOtherIsServed() throws IOException {
        try (TestClient other = TestClient.open(port(), ProtocolVersion.MQTT_5)) {
            Connack connack = other.connect(TestClient.connectPacket("other", FOR_LONG, null));
            assertThat(connack.sessionPresent()).isTrue();
            assertReceives(other, "good/1");
            assertThat(subscribe(other, Stream.of("good/+"))).containsExactly(ReasonCode.GRANTED_QOS_1);
            assertReceives(other, "good/2");
        }
    }

    private void assertReceives(TestClient client, String topic) throws IOException {
        try (TestClient publisher = connect(ProtocolVersion.MQTT_5, "publisher", 0)) {
            publisher.send(publish(topic));
            publisher.expect(Puback.class);
        }
        Publish message = client.expect(Publish.class);
        while (message.dup()) { // of before the broker was stopped, which had not read its PUBACK
            client.send(new Puback(message.packetId(), ReasonCode.SUCCESS, null, List.of()));
            message = client.expect(Publish.class);
        }
        assertThat(message.topic()).isEqualTo(topic);
        client.send(new Puback(message.packetId(), ReasonCode.SUCCESS, null, List.of()));
    }

    private static Publish publish(String topic) {
        return TestTalk.publication(topic, "x", QoS.AT_LEAST_ONCE, false, 1);
    }

    private long refused() {
        return (long)
                meters.get("tributary.subscriptions.refused").functionCounter().count();
    }

    private static Stream<String> filters(int first, int last) {
        return IntStream.range(first, last).mapToObj(i -> "f/" + i);
    }

    private TestClient connect(ProtocolVersion version, String clientId, long expiry) throws IOException {
        return TestClient.connect(port(), version, clientId, expiry);
    }

    private int port() {
        return broker.listeners().getFirst().address().getPort();
    }

    private static List<ReasonCode> subscribe(TestClient client, Stream<String> filters) throws IOException {
        List<Subscription> asked = filters.map(
                        filter -> new Subscription(filter, QoS.AT_LEAST_ONCE, false, false, RetainHandling.DO_NOT_SEND))
                .toList();
        client.send(new Subscribe(1, asked, 0, List.of()));
        return client.expect(Suback.class).reasons();
    }

    private static void unsubscribe(TestClient client, Stream<String> filters) throws IOException {
        client.send(new Unsubscribe(2, filters.toList(), List.of()));
        client.expect(Unsuback.class);
    }
}
