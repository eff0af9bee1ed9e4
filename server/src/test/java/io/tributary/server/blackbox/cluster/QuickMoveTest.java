package io.tributary.server.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.server.blackbox.BrokerExtension;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a client has sent to one node before it closed its connection counts before what it says to the next node. */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class QuickMoveTest {
    private static final int ROUNDS = 200;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = TestCluster.in(Scratch.folder("quick-move")).nodes(2).start();
        cluster.awaitShardsSpread(PATIENCE);
        new Probe(cluster).await(List.copyOf(cluster.nodes()), PATIENCE);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void willIsNotPublishedWhenTheClientIsAtAnotherNodeRightBehindItsDisconnect()
            throws IOException { // [MQTT-3.14.4-3]
        try (TestClient watcher = TestClient.connect(port(1), ProtocolVersion.MQTT_5, "move-watcher", 0)) {
            Subscription all = new Subscription("move/#", QoS.AT_MOST_ONCE, false, false, RetainHandling.SEND);
            watcher.send(new Subscribe(1, List.of(all), 0, List.of()));
            watcher.expect(Suback.class);
            for (int round = 0; round < ROUNDS; round++) {
                TestClient client = TestClient.open(port(round), ProtocolVersion.MQTT_5);
                client.connect(TestClient.connectPacket("move-will-" + round % 16, 60, "move/will"));
                client.disconnect(-1);
                TestClient next = TestClient.open(port(round + 1), ProtocolVersion.MQTT_5);
                next.connect(TestClient.connectPacket("move-will-" + round % 16, 60, "move/will"));
                next.disconnect(-1);
            }
            List<String> seen = new ArrayList<>();
            try (TestClient last = TestClient.open(port(0), ProtocolVersion.MQTT_5)) {
                last.connect(TestClient.connectPacket("move-end", 0, "move/end"));
            } // closed without DISCONNECT: its will is the last
            do {
                seen.add(watcher.expect(Publish.class).topic());
            } while (!seen.getLast().equals("move/end"));
            assertThat(seen).hasSize(1);
        }
    }

    @Test
    void sessionIsOverWhenTheClientIsAtAnotherNodeRightBehindItsDisconnect() throws IOException { // [MQTT-3.1.2-23]
        int present = 0;
        for (int round = 0; round < ROUNDS; round++) {
            TestClient client = TestClient.open(port(round), ProtocolVersion.MQTT_5);
            Connack connack = client.connect(TestClient.connectPacket("move-session", 60, null));
            present += connack.sessionPresent() ? 1 : 0;
            client.disconnect(0);
        }
        assertThat(present).isZero();
    }

    private static int port(int round) {
        return cluster.node(round % 2 == 0 ? "n1" : "n2").tcpPort();
    }
}
