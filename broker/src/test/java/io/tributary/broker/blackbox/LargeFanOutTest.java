package io.tributary.broker.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.loop.TemplateCache;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Payloads that receivers of one event loop share, beside smaller ones that are copied. */
class LargeFanOutTest {
    private static final int SUBSCRIBERS = 6;

    @TempDir
    private Path data;

    @Test
    void eachReceiverGetsEachPayloadInOrderWhateverItsSizeAndForm() throws IOException {
        List<byte[]> payloads = payloads();
        try (Broker broker = start()) {
            int port = broker.listeners().getFirst().address().getPort();
            List<TestClient> subscribers = new ArrayList<>();
            for (int i = 0; i < SUBSCRIBERS; i++) {
                subscribers.add(subscriber(port, i));
            }
            try (TestClient publisher = TestClient.connect(port, ProtocolVersion.MQTT_5, "p", 0)) {
                payloads.forEach(payload -> publisher.queue(publish(payload)));
                publisher.flush();
                for (TestClient subscriber : subscribers) {
                    for (byte[] payload : payloads) {
                        assertThat(subscriber.expect(Publish.class).payload()).isEqualTo(payload);
                    }
                    subscriber.close();
                }
            }
        }
    }

    private Broker start() {
        return Broker.start(BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .network(network -> network.eventLoops(1))
                .build());
    }

    private static TestClient subscriber(int port, int number) throws IOException {
        ProtocolVersion version = number % 2 == 0 ? ProtocolVersion.MQTT_3_1_1 : ProtocolVersion.MQTT_5;
        TestClient subscriber = TestClient.connect(port, version, "s" + number, 0);
        Subscription all = new Subscription("#", QoS.AT_MOST_ONCE, false, false, RetainHandling.DO_NOT_SEND);
        int id = version.isMqtt5() ? number : 0;
        subscriber.send(new Subscribe(1, List.of(all), id, List.of()));
        subscriber.expect(Suback.class);
        return subscriber;
    }

    private static Publish publish(byte[] payload) {
        return new Publish("a/b", payload, QoS.AT_MOST_ONCE, false, false, 0, 0, -1, PublishProperties.NONE, List.of());
    }

    private static List<byte[]> payloads() {
        Random random = new Random(1);
        return IntStream.of(
                        0, 100, TemplateCache.LARGE_BYTES - 1, TemplateCache.LARGE_BYTES, 20_000, 10, 300_000, 40_000)
                .mapToObj(size -> {
                    byte[] payload = new byte[size];
                    random.nextBytes(payload);
                    return payload;
                })
                .toList();
    }
}
