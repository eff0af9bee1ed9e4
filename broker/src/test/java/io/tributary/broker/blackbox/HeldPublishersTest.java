package io.tributary.broker.blackbox;

import static io.tributary.common.mqtt.MqttPacket.ABSENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.connection.OutboundLimits.Overflow;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Publishers, and a subscriber without a persistent session that reads nothing for a while. */
class HeldPublishersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int PUBLISHERS = 8;
    private static final int EACH = 1_000;
    private static final String FILLING = "x".repeat(4_000);
    /** Room for more than a message of each publisher in either half. */
    private static final int QUEUE_BYTES = 256 * 1024;

    @TempDir
    private Path data;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch over = new CountDownLatch(1);
    private Broker broker;

    private void start(Overflow overflow) {
        broker = Broker.start(
                BrokerConfig.builder(data)
                        .listener(ListenerConfig.builder("tcp", 0)
                                .limits(limits -> limits.delivery(delivery ->
                                        delivery.queueSize(QUEUE_BYTES).queueOverflow(overflow)))
                                .build())
                        .build(),
                BrokerExtensions.builder().build(),
                new BrokerMetrics(meters));
    }

    @AfterEach
    void stop() {
        over.countDown();
        threads.shutdownNow();
        broker.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = QoS.class,
            names = {"AT_MOST_ONCE", "AT_LEAST_ONCE"})
    void allMessagesComeInOrderWhenPublishersWait(QoS qos) throws IOException {
        start(Overflow.HOLD_PUBLISHERS);
        try (TestClient subscriber = subscriber(qos)) {
            publish(qos);
            await("publishers wait").atMost(PATIENCE).until(() -> paused() >= PUBLISHERS);
            Map<String, Integer> next = new HashMap<>();
            for (int i = 0; i < PUBLISHERS * EACH; i++) {
                Publish came = subscriber.expect(Publish.class);
                String[] text = new String(came.payload(), UTF_8).split(" ", -1);
                if (came.packetId() != 0) {
                    subscriber.send(new Puback(came.packetId(), ReasonCode.SUCCESS, null, List.of()));
                }
                assertThat(Integer.parseInt(text[0])).isEqualTo(next.merge(came.topic(), 1, Integer::sum) - 1);
            }
        }
        assertThat(dropped()).isZero();
    }

    @Test
    void messagesAreDroppedWhenNobodyWaits() throws IOException {
        start(Overflow.DROP_NEWEST);
        try (TestClient _ = subscriber(QoS.AT_MOST_ONCE)) {
            publish(QoS.AT_MOST_ONCE);
            await("messages are dropped").atMost(PATIENCE).until(() -> dropped() > 0);
        }
        assertThat(paused()).isZero();
    }

    private TestClient subscriber(QoS qos) throws IOException {
        TestClient subscriber = TestClient.connect(
                broker.listeners().getFirst().address().getPort(), ProtocolVersion.MQTT_3_1_1, "subscriber", 0);
        Subscription all = new Subscription("all/#", qos, false, false, RetainHandling.DO_NOT_SEND);
        subscriber.send(new Subscribe(1, List.of(all), 0, List.of()));
        subscriber.expect(Suback.class);
        return subscriber;
    }

    private void publish(QoS qos) {
        for (int i = 0; i < PUBLISHERS; i++) {
            String topic = "all/" + i;
            var _ = threads.submit(() -> publish(topic, qos));
        }
    }

    private void publish(String topic, QoS qos) {
        try (TestClient publisher = TestClient.connect(
                broker.listeners().getFirst().address().getPort(), ProtocolVersion.MQTT_3_1_1, topic, 0)) {
            for (int i = 0; i < EACH; i++) {
                publisher.send(message(topic, i, qos));
            }
            over.await();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Publish message(String topic, int number, QoS qos) {
        return new Publish(
                topic,
                (number + " " + FILLING).getBytes(UTF_8),
                qos,
                false,
                false,
                qos.isAcknowledged() ? number + 1 : 0,
                0,
                ABSENT,
                PublishProperties.NONE,
                List.of());
    }

    private double paused() {
        return meters.get("tributary.clients.reading.paused")
                .tag("reason", "slow_subscriber")
                .functionCounter()
                .count();
    }

    private double dropped() {
        return meters.get("tributary.messages.dropped")
                .tags("place", "session", "reason", "queue_full")
                .functionCounter()
                .count();
    }
}
