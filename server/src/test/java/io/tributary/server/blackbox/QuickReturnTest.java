package io.tributary.server.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a client has sent before it closed its connection counts before what it says on its next one. */
@ExtendWith(BrokerExtension.class)
class QuickReturnTest {
    private static final int ROUNDS = 300;

    private final BrokerProcess broker;

    QuickReturnTest(BrokerProcess broker) {
        this.broker = broker;
    }

    @Test
    void willIsNotPublishedWhenTheClientIsBackRightBehindItsDisconnect() throws IOException { // [MQTT-3.14.4-3]
        try (TestClient watcher = TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_5, "quick-watcher", 0)) {
            Subscription all = new Subscription("quick/#", QoS.AT_MOST_ONCE, false, false, RetainHandling.SEND);
            watcher.send(new Subscribe(1, List.of(all), 0, List.of()));
            watcher.expect(Suback.class);
            for (int round = 0; round < ROUNDS; round++) {
                connect("quick-will", 60, "quick/will").disconnect(-1);
            }
            List<String> seen = new ArrayList<>();
            try (TestClient last = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5)) {
                last.connect(TestClient.connectPacket("quick-end", 0, "quick/end"));
            } // closed without DISCONNECT: its will is the last
            do {
                seen.add(watcher.expect(Publish.class).topic());
            } while (!seen.getLast().equals("quick/end"));
            assertThat(seen).hasSize(1);
        }
    }

    @Test
    void sessionIsOverWhenTheClientIsBackRightBehindItsDisconnect() throws IOException { // [MQTT-3.1.2-23]
        int present = 0;
        for (int round = 0; round < ROUNDS; round++) {
            TestClient client = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5);
            Connack connack = client.connect(TestClient.connectPacket("quick-session", 60, null));
            present += connack.sessionPresent() ? 1 : 0;
            client.disconnect(0);
        }
        assertThat(present).isZero();
    }

    private TestClient connect(String clientId, long expirySeconds, String willTopic) throws IOException {
        TestClient client = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5);
        client.connect(TestClient.connectPacket(clientId, expirySeconds, willTopic));
        return client;
    }
}
