package io.tributary.server.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What SIGTERM does. */
@ExtendWith(BrokerExtension.class)
class GracefulStopTest {
    private static final int KILLED_BY_SIGTERM = 143;
    private static final long LONG = 3_600;

    private BrokerProcess broker;

    @BeforeEach
    void start() {
        broker = BrokerProcess.start(Scratch.folder("stop"));
    }

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    void saysGoodbyeAndEndsWhenTerminated() throws IOException {
        try (TestClient client5 = connect(ProtocolVersion.MQTT_5, "five");
                TestClient client3 = connect(ProtocolVersion.MQTT_3_1_1, "three")) {
            broker.terminate();
            assertThat(client5.awaitClose())
                    .isInstanceOfSatisfying(
                            Disconnect.class,
                            farewell -> assertThat(farewell.reason()).isEqualTo(ReasonCode.SERVER_SHUTTING_DOWN));
            assertThat(client3.awaitClose()).isNull();
        }
        assertThat(broker.awaitExit()).isZero();
    }

    @Test
    void keepsWhatIsInFlightWhenTerminated() throws IOException {
        int first;
        int second;
        try (TestClient client = connect(ProtocolVersion.MQTT_5, "device")) {
            client.send(subscribe("in-flight/#"));
            client.expect(Suback.class);
            client.send(publish(QoS.AT_LEAST_ONCE, "one"));
            first = take(client, Puback.class);
            client.send(publish(QoS.EXACTLY_ONCE, "two"));
            client.expect(Pubrec.class);
            client.send(new Pubrel(1, ReasonCode.SUCCESS, null, List.of()));
            second = take(client, Pubcomp.class);
            client.send(new Pubrec(second, ReasonCode.SUCCESS, null, List.of()));
            client.expect(Pubrel.class);
            broker.stop();
        }
        broker.start();
        try (TestClient client = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5)) {
            assertThat(client.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, "device", LONG))
                            .sessionPresent())
                    .isTrue();
            Publish again = client.expect(Publish.class);
            assertThat(again.packetId()).isEqualTo(first);
            assertThat(again.dup()).isTrue();
            assertThat(new String(again.payload(), UTF_8)).isEqualTo("one");
            assertThat(client.expect(Pubrel.class).packetId()).isEqualTo(second);
        }
    }

    @Test
    void endsAtOnceWhenTerminatedTwice() throws IOException {
        try (TestClient client = connect(ProtocolVersion.MQTT_5, "holds the broker up")) {
            broker.terminate();
            client.expect(Disconnect.class); // now it waits for us to close
            broker.terminate();
            assertThat(broker.awaitExit()).isEqualTo(KILLED_BY_SIGTERM);
        }
    }

    private TestClient connect(ProtocolVersion version, String clientId) throws IOException {
        return TestClient.connect(broker.tcpPort(), version, clientId, LONG);
    }

    /** Waits for both: the message, whose packet identifier it gives, and the answer to its publication. */
    private static int take(TestClient client, Class<? extends MqttPacket> answer) throws IOException {
        int packetId = 0;
        boolean answered = false;
        while (packetId == 0 || !answered) {
            MqttPacket packet = client.expect(MqttPacket.class);
            if (packet instanceof Publish publish) {
                packetId = publish.packetId();
            } else {
                answered = answer.isInstance(packet);
            }
        }
        return packetId;
    }

    private static Subscribe subscribe(String filter) {
        Subscription subscription = new Subscription(filter, QoS.EXACTLY_ONCE, false, false, RetainHandling.SEND);
        return new Subscribe(1, List.of(subscription), 0, List.of());
    }

    private static Publish publish(QoS qos, String text) {
        return TestTalk.publication("in-flight/a", text, qos, false, 1);
    }
}
