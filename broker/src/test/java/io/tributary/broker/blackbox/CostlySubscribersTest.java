package io.tributary.broker.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that subscribe to so much that others would pay for it. */
class CostlySubscribersTest {
    private static final long FOR_LONG = 3_600;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path data;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private Broker broker;

    @BeforeEach
    void start() {
        broker = Broker.start(
                BrokerConfig.builder(data)
                        .listener(ListenerConfig.tcp("tcp", 0))
                        .build(),
                BrokerExtensions.builder().build(),
                new BrokerMetrics(meters));
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void clientIsReadLaterThatHasMuchWrittenForLittle() throws IOException {
        try (TestClient client = connect(ProtocolVersion.MQTT_5, "c")) {
            subscribe(client, QoS.AT_LEAST_ONCE, IntStream.range(0, 250).mapToObj(i -> i + "x".repeat(1_000)));
            long end = System.nanoTime() + PATIENCE.toNanos();
            for (int i = 0; paused() == 0 && System.nanoTime() - end < 0; i++) {
                QoS qos = QoS.of(i % 2);
                assertThat(subscribe(client, qos, Stream.of("a"))).containsExactly(ReasonCode.granted(qos));
            }
            assertThat(paused()).isPositive();
            assertThat(subscribe(client, QoS.AT_MOST_ONCE, Stream.of("b"))).containsExactly(ReasonCode.SUCCESS);
        }
    }

    @Test
    void clientThatSubscribesHundredsOfTimesIsNotReadLater() throws IOException {
        try (TestClient client = connect(ProtocolVersion.MQTT_5, "c")) {
            for (int i = 0; i < 200; i++) {
                subscribe(client, QoS.AT_LEAST_ONCE, Stream.of("a/filter/of/forty/characters/or/so/" + i));
            }
        }
        assertThat(paused()).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"MQTT_3_1_1", "MQTT_5"})
    void onlyMemberOfManyGroupsGetsACopyForEachOfAHundred(ProtocolVersion version) throws IOException {
        ReasonCode refused =
                version == ProtocolVersion.MQTT_5 ? ReasonCode.QUOTA_EXCEEDED : ReasonCode.UNSPECIFIED_ERROR;
        try (TestClient member = connect(version, "m");
                TestClient publisher = connect(ProtocolVersion.MQTT_5, "p")) {
            List<ReasonCode> reasons =
                    subscribe(member, QoS.AT_MOST_ONCE, IntStream.range(0, 110).mapToObj(i -> "$share/g" + i + "/#"));
            assertThat(reasons.subList(0, 100)).isEqualTo(Collections.nCopies(100, ReasonCode.SUCCESS));
            assertThat(reasons.subList(100, 110)).isEqualTo(Collections.nCopies(10, refused));
            assertThat(subscribe(member, QoS.AT_MOST_ONCE, Stream.of("#"))).containsExactly(ReasonCode.SUCCESS);

            publisher.send(message("first", 1));
            publisher.expect(Puback.class);
            publisher.send(message("second", 2));
            publisher.expect(Puback.class);
            for (int i = 0; i < 101; i++) {
                assertThat(member.expect(Publish.class).topic()).isEqualTo("first");
            }
            assertThat(member.expect(Publish.class).topic()).isEqualTo("second");
        }
    }

    @ParameterizedTest
    @CsvSource({"MQTT_3_1_1, UNSPECIFIED_ERROR", "MQTT_5, QUOTA_EXCEEDED"})
    void filtersOfOneClientHaveALimitTogether(ProtocolVersion version, ReasonCode refused) throws IOException {
        try (TestClient client = connect(version, "c")) {
            List<ReasonCode> reasons = subscribe(
                    client, QoS.AT_MOST_ONCE, IntStream.range(1_000, 1_300).mapToObj(i -> i + "x".repeat(1_020)));
            assertThat(reasons.subList(0, 256)).isEqualTo(Collections.nCopies(256, ReasonCode.SUCCESS));
            assertThat(reasons.subList(256, 300)).isEqualTo(Collections.nCopies(44, refused));
        }
    }

    private double paused() {
        return meters.get("tributary.clients.reading.paused")
                .tag("reason", "subscribe_rate")
                .functionCounter()
                .count();
    }

    private TestClient connect(ProtocolVersion version, String clientId) throws IOException {
        int port = broker.listeners().getFirst().address().getPort();
        return TestClient.connect(port, version, clientId, FOR_LONG);
    }

    private static List<ReasonCode> subscribe(TestClient client, QoS qos, Stream<String> filters) throws IOException {
        List<Subscription> asked = filters.map(
                        filter -> new Subscription(filter, qos, false, false, RetainHandling.DO_NOT_SEND))
                .toList();
        client.send(new Subscribe(1, asked, 0, List.of()));
        return client.await(Suback.class, PATIENCE).reasons();
    }

    private static Publish message(String topic, int packetId) {
        return TestTalk.publication(topic, "x", QoS.AT_LEAST_ONCE, false, packetId);
    }
}
