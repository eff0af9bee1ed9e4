package io.tributary.server.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Packets that one connection sends at once, without waiting for answers, take effect in their order. */
@ExtendWith(BrokerExtension.class)
class PacketOrderTest {
    private static final int ROUNDS = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final BrokerProcess broker;

    PacketOrderTest(BrokerProcess broker) {
        this.broker = broker;
    }

    @ParameterizedTest
    @EnumSource(QoS.class)
    void retainedMessageDoesNotComeLiveToSubscriptionMadeBehindIt(QoS qos) throws IOException {
        int live = 0;
        try (TestClient client = client("order-subscribe-" + qos)) {
            for (int round = 1; round <= ROUNDS; round++) {
                String topic = "order/subscribe/" + qos + "/" + round;
                client.queue(retained(topic, qos, round));
                client.queue(subscribe(topic, ROUNDS + round, RetainHandling.DO_NOT_SEND));
                live += publishesBeforePingresp(client);
            }
            live += publishesBeforePingresp(client); // what was late
        }
        assertThat(live).isZero();
    }

    @ParameterizedTest
    @EnumSource(QoS.class)
    void retainedMessageComesLiveToSubscriptionThatIsRemovedBehindIt(QoS qos) throws IOException {
        int live = 0;
        try (TestClient client = client("order-unsubscribe-" + qos)) {
            for (int round = 1; round <= ROUNDS; round++) {
                String topic = "order/unsubscribe/" + qos + "/" + round;
                client.queue(subscribe(topic, ROUNDS + round, RetainHandling.DO_NOT_SEND));
                client.queue(retained(topic, qos, round));
                client.queue(new Unsubscribe(2 * ROUNDS + round, List.of(topic), List.of()));
                live += publishesBeforePingresp(client);
            }
            while (live < ROUNDS && client.poll(PATIENCE) instanceof Publish) {
                live++; // what was on its way when UNSUBSCRIBE came
            }
        }
        assertThat(live).isEqualTo(ROUNDS);
    }

    private TestClient client(String clientId) throws IOException {
        return TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_5, clientId, 0);
    }

    private static Publish retained(String topic, QoS qos, int packetId) {
        return TestTalk.publication(topic, "x", qos, true, packetId);
    }

    private static Subscribe subscribe(String filter, int packetId, RetainHandling handling) {
        return new Subscribe(
                packetId, List.of(new Subscription(filter, QoS.AT_MOST_ONCE, false, false, handling)), 0, List.of());
    }

    /** Sends what is queued and a PINGREQ behind it; how many messages come before that is answered. */
    private static int publishesBeforePingresp(TestClient client) throws IOException {
        client.queue(new Pingreq());
        client.flush();
        int publishes = 0;
        MqttPacket packet = client.poll(PATIENCE);
        while (!(packet instanceof Pingresp)) {
            assertThat(packet).isNotNull();
            publishes += packet instanceof Publish ? 1 : 0;
            packet = client.poll(PATIENCE);
        }
        return publishes;
    }
}
