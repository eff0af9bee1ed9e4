package io.tributary.broker.blackbox;

import static io.tributary.common.mqtt.MqttPacket.ABSENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.routing.PriorityRule;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.UserProperty;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which priorities messages get that come into a broker, and which missed deadlines count. */
class GivenPrioritiesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path data;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Map<String, Integer> priorities = new ConcurrentHashMap<>();
    private Broker broker;

    @BeforeEach
    void start() {
        BrokerConfig config = BrokerConfig.builder(data)
                .listener(ListenerConfig.builder("tcp", 0)
                        .limits(limits -> limits.delivery(delivery -> delivery.maxInFlight(1)))
                        .build())
                .priorities(part -> part.userProperty("priority")
                        .rules(List.of(PriorityRule.of("alarms", "alarms/#", 2), PriorityRule.of("rest", "#", 0))))
                .build();
        broker = Broker.start(config, BrokerExtensions.builder().build(), new BrokerMetrics(meters));
        broker.subscribe("#", QoS.AT_LEAST_ONCE, message -> priorities.put(message.topic(), message.priority()));
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void messagesHaveThePriorityOfTheirTopicOrTheOneThatTheirPublisherSays() throws IOException {
        try (TestClient publisher = connect("publisher")) {
            publisher.send(message("alarms/1", ABSENT));
            publisher.send(message("other/1", ABSENT));
            publisher.send(message("other/2", ABSENT, new UserProperty("priority", "3")));
            publisher.send(message("alarms/2", ABSENT, new UserProperty("priority", "1")));
            for (int i = 0; i < 4; i++) {
                publisher.expect(Puback.class);
            }
        }
        broker.publish(Message.of("alarms/3", new byte[0], QoS.AT_LEAST_ONCE));
        broker.publish(Message.of("other/3", new byte[0], QoS.AT_LEAST_ONCE).withPriority(1));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(priorities)
                        .isEqualTo(Map.of(
                                "alarms/1",
                                2,
                                "other/1",
                                0,
                                "other/2",
                                3,
                                "alarms/2",
                                1,
                                "alarms/3",
                                2,
                                "other/3",
                                1)));
    }

    @Test
    void willsHaveOne() throws IOException {
        try (TestClient gone = TestClient.open(port(), ProtocolVersion.MQTT_5)) {
            gone.connect(TestClient.connectPacket("gone", 0, "alarms/gone"));
        }
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(priorities).containsEntry("alarms/gone", 2));
    }

    /** The first message is not acknowledged, so the others wait longer than they may. */
    @Test
    void messagesThatWaitTooLongCountAsMissed() throws IOException {
        try (TestClient slow = connect("slow");
                TestClient publisher = connect("publisher")) {
            Subscription all = new Subscription("#", QoS.AT_LEAST_ONCE, false, false, RetainHandling.DO_NOT_SEND);
            slow.send(new Subscribe(1, List.of(all), 0, List.of()));
            slow.expect(Suback.class);
            publisher.send(message("alarms/1", ABSENT));
            publisher.send(message("alarms/2", 1));
            publisher.send(message("other/2", 1));
            publisher.send(message("alarms/3", ABSENT));
            Publish first = slow.expect(Publish.class);
            await().pollDelay(Duration.ofMillis(1_500)).until(() -> true);
            assertThat(missed("alarms")).isZero();
            slow.send(new Puback(first.packetId(), ReasonCode.SUCCESS, null, List.of()));
            Publish third = slow.expect(Publish.class);
            assertThat(third.topic()).isEqualTo("alarms/3");
            assertThat(missed("alarms")).isEqualTo(1);
            slow.send(new Puback(third.packetId(), ReasonCode.SUCCESS, null, List.of()));
            await().atMost(PATIENCE).until(() -> missed("rest") == 1);
        }
    }

    private double missed(String rule) {
        return meters.get("tributary.deadlines.missed")
                .tag("rule", rule)
                .functionCounter()
                .count();
    }

    private TestClient connect(String clientId) throws IOException {
        return TestClient.connect(port(), ProtocolVersion.MQTT_5, clientId, 0);
    }

    private int port() {
        return broker.listeners().getFirst().address().getPort();
    }

    private static Publish message(String topic, long expirySeconds, UserProperty... properties) {
        return new Publish(
                topic,
                topic.getBytes(UTF_8),
                QoS.AT_LEAST_ONCE,
                false,
                false,
                (topic.hashCode() & 0x7FFF) | 1,
                0,
                expirySeconds,
                new PublishProperties(null, null, null, null, List.of(properties)),
                List.of());
    }
}
