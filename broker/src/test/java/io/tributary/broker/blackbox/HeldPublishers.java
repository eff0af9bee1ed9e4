package io.tributary.broker.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Publishers that send as much as the broker reads, and a subscriber without a persistent session that reads nothing
 * until it is told to.
 */
public final class HeldPublishers implements AutoCloseable {
    /** How many publishers there are. */
    public static final int COUNT = 8;

    /** How many messages each sends. */
    public static final int EACH = 2_000;

    private static final String FILLING = "x".repeat(4_000);

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch over = new CountDownLatch(1);
    private final TestClient subscriber;
    private final int port;
    private final QoS qos;

    /**
     * Subscribes.
     *
     * @param subscriberPort where the subscriber connects
     * @param port where publishers connect
     */
    public HeldPublishers(int subscriberPort, int port, QoS qos) throws IOException {
        this.port = port;
        this.qos = qos;
        subscriber = TestClient.connect(subscriberPort, ProtocolVersion.MQTT_3_1_1, "subscriber", 0);
        Subscription all = new Subscription("all/#", qos, false, false, RetainHandling.DO_NOT_SEND);
        subscriber.send(new Subscribe(1, List.of(all), 0, List.of()));
        subscriber.expect(Suback.class);
    }

    /** Begins to publish. */
    public void publish() {
        for (int i = 0; i < COUNT; i++) {
            String topic = "all/" + i;
            var _ = threads.submit(() -> publish(topic));
        }
    }

    /** The subscriber reads: all messages come, each publisher's in order. */
    public void expectAll() throws IOException {
        Map<String, Integer> next = new HashMap<>();
        for (int i = 0; i < COUNT * EACH; i++) {
            Publish came = subscriber.expect(Publish.class);
            String[] text = new String(came.payload(), UTF_8).split(" ", -1);
            if (came.packetId() != 0) {
                subscriber.send(new Puback(came.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
            assertThat(Integer.parseInt(text[0])).isEqualTo(next.merge(came.topic(), 1, Integer::sum) - 1);
        }
    }

    @Override
    public void close() throws IOException {
        over.countDown();
        threads.shutdownNow();
        subscriber.close();
    }

    private void publish(String topic) {
        try (TestClient publisher = TestClient.connect(port, ProtocolVersion.MQTT_3_1_1, topic, 0)) {
            for (int i = 0; i < EACH; i++) {
                publisher.send(message(topic, i));
            }
            over.await();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Publish message(String topic, int number) {
        return TestTalk.publication(topic, number + " " + FILLING, qos, false, number + 1);
    }
}
