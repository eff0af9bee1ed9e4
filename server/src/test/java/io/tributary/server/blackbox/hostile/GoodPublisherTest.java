package io.tributary.server.blackbox.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that stops sends its clients away as a node does that stood still. */
class GoodPublisherTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final byte[] PAYLOAD = {1, 2, 3};

    @TempDir
    private Path data;

    @Test
    void sendsAgainWhatIsNotAcknowledgedWhenItIsSentAway() throws Exception {
        Broker first = start(0);
        int port = first.listeners().getFirst().address().getPort();
        try (TestClient subscriber = TestClient.connect(port, ProtocolVersion.MQTT_5, "subscriber", 3_600)) {
            subscriber.send(Packets.subscribe(1, "a", QoS.EXACTLY_ONCE));
            subscriber.expect(Suback.class);
        }
        GoodPublisher publisher = new GoodPublisher(port, "publisher");
        publisher.queue(Packets.publish("a", PAYLOAD, QoS.EXACTLY_ONCE, 7)); // and lost on the way
        first.close();
        try (Broker _ = start(port)) {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (publisher.isOwed()) { // as its pair does between what the subscriber gets
                publisher.handleNext(Duration.ofMillis(1));
                assertThat(System.nanoTime()).as(publisher.toString()).isLessThan(deadline);
            }
            assertThat(publisher.sentAway()).isEqualTo(1);
            assertThat(publisher.hasSentAgain(7)).isTrue();
            try (TestClient subscriber = TestClient.connect(port, ProtocolVersion.MQTT_5, "subscriber", 3_600)) {
                assertThat(subscriber.expect(Publish.class).payload()).isEqualTo(PAYLOAD);
            }
        }
        publisher.close();
    }

    private Broker start(int port) {
        return Broker.start(BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", port))
                .build());
    }
}
