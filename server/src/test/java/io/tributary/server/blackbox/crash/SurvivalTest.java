package io.tributary.server.blackbox.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsuback;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.Will;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What else a killed broker still knows when it is back: retained messages, subscriptions, sessions, wills. */
@ExtendWith(BrokerExtension.class)
class SurvivalTest {
    private static final ProtocolVersion VERSION = ProtocolVersion.MQTT_5;
    private static final long LONG = 3_600;
    private static final String MARKER = "marker";

    private static final AtomicInteger TESTS = new AtomicInteger();

    private static BrokerProcess broker;

    /** Begins every client identifier and topic of the test. */
    private final String name = "survival" + TESTS.incrementAndGet();

    private final List<TestClient> clients = new ArrayList<>();

    @BeforeAll
    static void start() {
        broker = BrokerProcess.start(Scratch.folder("survival"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(TestClient::close);
    }

    @Test
    void keepsRetainedMessagesAndSubscriptionsWhenKilled() throws IOException {
        TestClient client = connect("subscriber", LONG, null);
        subscribe(client, "kept/#");
        subscribe(client, "given-up/#");
        client.send(new Unsubscribe(1, List.of(name + "/given-up/#"), List.of()));
        client.expect(Unsuback.class);
        TestClient publisher = connect("publisher", 0, null);
        publish(publisher, "retained/a", "old", true);
        publish(publisher, "retained/a", "new", true);
        publish(publisher, "retained/b", "soon gone", true);
        publish(publisher, "retained/b", "", true);
        restart();

        TestClient reader = connect("reader", 0, null);
        subscribe(reader, "retained/#");
        assertThat(text(reader.expect(Publish.class))).isEqualTo("retained/a new");
        TestClient again = connect("subscriber", LONG, null);
        publisher = connect("publisher", 0, null);
        publish(publisher, "retained/" + MARKER, "", false);
        publish(publisher, "given-up/x", "unwanted", false);
        publish(publisher, "kept/x", "wanted", false);
        assertThat(text(reader.expect(Publish.class))).isEqualTo("retained/marker ");
        assertThat(text(again.expect(Publish.class))).isEqualTo("kept/x wanted");
    }

    @Test
    void publishesWillOnceWhenKilledWhileClientWasConnected() throws IOException {
        TestClient watcher = connect("watcher", LONG, null);
        subscribe(watcher, "wills/#");
        TestClient polite = connect("polite", LONG, will("wills/polite", 0));
        polite.send(new Disconnect(ReasonCode.SUCCESS, MqttPacket.ABSENT, null, null, List.of()));
        polite.awaitClose();
        connect("persistent", LONG, will("wills/persistent", 0));
        connect("transient", 0, will("wills/transient", 0));
        restart();
        assertThat(receive(2)).containsExactlyInAnyOrder("wills/persistent gone", "wills/transient gone");
        assertThat(untilMarker()).isEmpty();
        restart();
        assertThat(untilMarker()).isEmpty();
    }

    @Test
    void endsSessionAndPublishesDelayedWillWhenExpiredAfterKill() throws IOException {
        TestClient watcher = connect("watcher", LONG, null);
        subscribe(watcher, "wills/#");
        TestClient mortal = connect("mortal", 2, will("wills/mortal", LONG)); // due at the end of the session
        subscribe(mortal, "mortal/#");
        TestClient lasting = connect("lasting", LONG, will("wills/lasting", LONG));
        subscribe(lasting, "lasting/#");
        mortal.close();
        lasting.close();
        restart();

        watcher = connect("watcher", LONG, null);
        Publish will = watcher.expect(Publish.class);
        assertThat(text(will)).isEqualTo("wills/mortal gone");
        watcher.send(new Puback(will.packetId(), ReasonCode.SUCCESS, null, List.of()));
        assertThat(reconnect("mortal").sessionPresent()).isFalse();
        assertThat(reconnect("lasting").sessionPresent()).isTrue();
        assertThat(untilMarker()).isEmpty();
    }

    @Test
    void keepsQueueInOrderWhenKilledWhileClientWasAway() throws IOException {
        TestClient away = connect("away", LONG, null);
        subscribe(away, "queue/#");
        away.close();
        TestClient publisher = connect("publisher", 0, null);
        List<String> published = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            publish(publisher, "queue/" + i % 3, "m" + i, false);
            published.add("queue/" + i % 3 + " m" + i);
        }
        restart();
        TestClient back = connect("away", LONG, null);
        List<String> received = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            Publish publish = back.expect(Publish.class);
            received.add(text(publish));
            back.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
        }
        assertThat(received).containsExactlyElementsOf(published);
    }

    private void restart() {
        broker.kill();
        clients.forEach(TestClient::close);
        clients.clear();
        broker.start();
    }

    /** What the watcher gets next, each acknowledged: a start publishes wills while clients publish already. */
    private List<String> receive(int count) throws IOException {
        TestClient watcher = connect("watcher", LONG, null);
        List<String> received = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Publish publish = watcher.expect(Publish.class);
            received.add(text(publish));
            watcher.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
        }
        return received;
    }

    /**
     * What the watcher gets before a message that is published now, each acknowledged. A copy with DUP is left out: the
     * kill came before the acknowledgement of the first one was safe.
     */
    private List<String> untilMarker() throws IOException {
        TestClient watcher = connect("watcher", LONG, null);
        publish(connect("marking", 0, null), "wills/" + MARKER, MARKER, false);
        List<String> received = new ArrayList<>();
        Publish publish = watcher.expect(Publish.class);
        while (!publish.topic().endsWith(MARKER)) {
            if (!publish.dup()) {
                received.add(text(publish));
            }
            watcher.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
            publish = watcher.expect(Publish.class);
        }
        watcher.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
        return received;
    }

    private TestClient connect(String clientId, long expirySeconds, @Nullable Will will) throws IOException {
        TestClient client = TestClient.open(broker.tcpPort(), VERSION);
        clients.add(client);
        client.connect(packet(clientId, expirySeconds, will));
        return client;
    }

    private Connack reconnect(String clientId) throws IOException {
        TestClient client = TestClient.open(broker.tcpPort(), VERSION);
        clients.add(client);
        return client.connect(packet(clientId, LONG, null));
    }

    private Connect packet(String clientId, long expirySeconds, @Nullable Will will) {
        return new Connect(
                VERSION,
                expirySeconds == 0,
                0,
                name + clientId,
                will,
                null,
                null,
                ConnectProperties.defaults(expirySeconds));
    }

    private Will will(String topic, long delaySeconds) {
        Message message = new Message(
                name + "/" + topic,
                "gone".getBytes(UTF_8),
                QoS.AT_LEAST_ONCE,
                false,
                PublishProperties.NONE,
                Message.NEVER,
                "");
        return new Will(message, delaySeconds, MqttPacket.ABSENT);
    }

    private void subscribe(TestClient client, String filter) throws IOException {
        Subscription subscription =
                new Subscription(name + "/" + filter, QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND);
        client.send(new Subscribe(1, List.of(subscription), 0, List.of()));
        client.expect(Suback.class);
    }

    private void publish(TestClient client, String topic, String text, boolean retain) throws IOException {
        client.send(TestTalk.publication(name + "/" + topic, text, QoS.AT_LEAST_ONCE, retain, 1));
        assertThat(client.expect(Puback.class).reason().isError()).isFalse();
    }

    private String text(Publish publish) {
        return publish.topic().substring(name.length() + 1) + " " + new String(publish.payload(), UTF_8);
    }
}
