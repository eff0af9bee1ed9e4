package io.tributary.broker.blackbox;

import static io.tributary.broker.blackbox.TestTalk.publication;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.ClientRules.ClientId;
import io.tributary.broker.security.ClientRules.Rule;
import io.tributary.broker.security.TextPattern;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What applications get, from a broker that runs alone. */
class ApplicationsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long LONG = 3600;
    private static final String OWN = "erp";
    private static final String SHARED = "small-erp";

    @TempDir
    private Path data;

    private final List<TestClient> clients = new ArrayList<>();
    private Broker broker;

    @BeforeEach
    void start() {
        ClientRules rules = new ClientRules(List.of(
                new Rule(List.of(new ClientId(TextPattern.of("erp*"))), ClientKind.APPLICATION),
                new Rule(List.of(new ClientId(TextPattern.of("small-*"))), ClientKind.SMALL_APPLICATION)));
        start(rules);
    }

    private void start(ClientRules rules) {
        BrokerConfig config = BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .applications(applications -> applications.rules(rules))
                .build();
        broker = Broker.start(config, BrokerExtensions.NONE, BrokerMetrics.unregistered());
    }

    @AfterEach
    void stop() {
        clients.forEach(TestClient::close);
        broker.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {OWN, SHARED})
    void getsEverythingInOrderThatCameWhileItWasAway(String name) throws IOException {
        subscribe(connect(name), "plant/#", QoS.AT_LEAST_ONCE).close();
        int messages = 3000;
        TestClient device = connect("device");
        for (int i = 0; i < messages; i++) {
            publish(device, "plant/" + i % 7, "" + i, QoS.AT_LEAST_ONCE, i + 1);
            if (i % 500 == 499) {
                acknowledged(device, 500);
            }
        }

        TestClient back = connect(name);
        for (int i = 0; i < messages; i++) {
            Publish got = back.await(Publish.class, PATIENCE);
            assertThat(text(got)).isEqualTo("" + i);
            assertThat(got.dup()).isFalse();
            back.send(new Puback(got.packetId(), ReasonCode.SUCCESS, null, List.of()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {OWN, SHARED})
    void goesOnWhereItHadAcknowledgedAfterARestart(String name) throws IOException {
        TestClient application = subscribe(connect(name), "plant/#", QoS.AT_LEAST_ONCE);
        TestClient device = connect("device");
        for (int i = 0; i < 10; i++) {
            publish(device, "plant/a", "" + i, QoS.AT_LEAST_ONCE, i + 1);
        }
        acknowledged(device, 10);
        List<Publish> got = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            got.add(application.await(Publish.class, PATIENCE));
        }
        for (int i : List.of(0, 1, 2, 5)) {
            application.send(new Puback(got.get(i).packetId(), ReasonCode.SUCCESS, null, List.of()));
        }
        application.send(new Pingreq());
        application.await(Pingresp.class, PATIENCE); // the acknowledgements have arrived
        application.close();
        broker.close();
        start();

        TestClient back = connect(name);
        for (int i : List.of(3, 4, 6, 7, 8, 9)) {
            Publish again = back.await(Publish.class, PATIENCE);
            assertThat(text(again)).isEqualTo("" + i);
            assertThat(again.dup()).isTrue();
            assertThat(again.packetId()).isEqualTo(got.get(i).packetId());
            back.send(new Puback(again.packetId(), ReasonCode.SUCCESS, null, List.of()));
        }
        publish(connect("device"), "plant/a", "new", QoS.AT_LEAST_ONCE, 77);
        Publish fresh = back.await(Publish.class, PATIENCE);
        assertThat(text(fresh)).isEqualTo("new");
        assertThat(fresh.dup()).isFalse();
    }

    @Test
    void completesAMessageOfQos2AfterARestart() throws IOException {
        TestClient application = subscribe(connect(OWN), "plant/#", QoS.EXACTLY_ONCE);
        TestClient device = connect("device");
        publish(device, "plant/a", "begun", QoS.EXACTLY_ONCE, 5);
        device.await(Pubrec.class, PATIENCE);
        device.send(new Pubrel(5, ReasonCode.SUCCESS, null, List.of()));
        device.await(Pubcomp.class, PATIENCE);
        Publish got = application.await(Publish.class, PATIENCE);
        application.send(new Pubrec(got.packetId(), ReasonCode.SUCCESS, null, List.of()));
        application.await(Pubrel.class, PATIENCE);
        application.close();
        broker.close();
        start();

        TestClient back = connect(OWN);
        assertThat(back.await(Pubrel.class, PATIENCE).packetId()).isEqualTo(got.packetId());
        back.send(new Pubcomp(got.packetId(), ReasonCode.SUCCESS, null, List.of()));
        publish(connect("device"), "plant/a", "next", QoS.AT_LEAST_ONCE, 6);
        assertThat(text(back.await(Publish.class, PATIENCE))).isEqualTo("next");
    }

    @Test
    void isRefusedWhenTheSessionIsADevicesAndMayBeginAnew() throws IOException {
        subscribe(connect(OWN), "plant/#", QoS.AT_LEAST_ONCE).close();
        broker.close();
        start(ClientRules.NONE);

        TestClient device = TestClient.open(port(), ProtocolVersion.MQTT_5);
        clients.add(device);
        device.send(TestClient.connectPacket(ProtocolVersion.MQTT_5, OWN, LONG));
        Connack refusal = device.await(Connack.class, PATIENCE);
        assertThat(refusal.reason()).isEqualTo(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
        assertThat(refusal.properties().reasonString()).contains("as an application", "clean start");

        TestClient anew = TestClient.open(port(), ProtocolVersion.MQTT_5);
        clients.add(anew);
        Connect connect = TestClient.connectPacket(ProtocolVersion.MQTT_5, OWN, LONG);
        anew.connect(clean(connect));
        subscribe(anew, "plant/#", QoS.AT_LEAST_ONCE);
        publish(connect("device"), "plant/a", "m", QoS.AT_LEAST_ONCE, 1);
        assertThat(text(anew.await(Publish.class, PATIENCE))).isEqualTo("m");
    }

    @Test
    void newSessionGetsNothingThatWasForTheOneBefore() throws IOException {
        subscribe(connect(OWN), "plant/#", QoS.AT_LEAST_ONCE).close();
        TestClient device = connect("device");
        publish(device, "plant/a", "old", QoS.AT_LEAST_ONCE, 1);
        acknowledged(device, 1);

        TestClient anew = TestClient.open(port(), ProtocolVersion.MQTT_5);
        clients.add(anew);
        anew.connect(clean(TestClient.connectPacket(ProtocolVersion.MQTT_5, OWN, LONG)));
        subscribe(anew, "plant/#", QoS.AT_LEAST_ONCE);
        publish(device, "plant/a", "new", QoS.AT_LEAST_ONCE, 2);
        assertThat(text(anew.await(Publish.class, PATIENCE))).isEqualTo("new");
    }

    @Test
    void findsRetainedMessagesWhenItSubscribes() throws IOException {
        TestClient device = connect("device");
        device.send(publication("plant/a", "kept", QoS.AT_LEAST_ONCE, true, 1));
        acknowledged(device, 1);
        TestClient application = subscribe(connect(OWN), "plant/#", QoS.AT_LEAST_ONCE);
        Publish got = application.await(Publish.class, PATIENCE);
        assertThat(text(got)).isEqualTo("kept");
        assertThat(got.retain()).isTrue();
    }

    private TestClient connect(String name) throws IOException {
        TestClient client = TestClient.connect(port(), ProtocolVersion.MQTT_5, name, LONG);
        clients.add(client);
        return client;
    }

    private int port() {
        return broker.listeners().getFirst().address().getPort();
    }

    private static TestClient subscribe(TestClient client, String filter, QoS qos) throws IOException {
        client.send(new Subscribe(
                1, List.of(new Subscription(filter, qos, false, false, RetainHandling.SEND)), 0, List.of()));
        assertThat(client.await(Suback.class, PATIENCE).reasons()).noneMatch(ReasonCode::isError);
        return client;
    }

    private static void publish(TestClient client, String topic, String text, QoS qos, int packetId)
            throws IOException {
        client.send(publication(topic, text, qos, false, packetId));
    }

    private static void acknowledged(TestClient client, int messages) throws IOException {
        for (int i = 0; i < messages; i++) {
            assertThat(client.await(Puback.class, PATIENCE).reason().isError()).isFalse();
        }
    }

    private static Connect clean(Connect connect) {
        return new Connect(
                connect.version(),
                true,
                connect.keepAliveSeconds(),
                connect.clientId(),
                null,
                null,
                null,
                connect.properties());
    }

    private static String text(Publish publish) {
        return new String(publish.payload(), UTF_8);
    }
}
