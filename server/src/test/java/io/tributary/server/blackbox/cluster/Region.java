package io.tributary.server.blackbox.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One of two regions: a cluster of one node, and its clients. What is published there goes across by the session
 * {@code across}; {@code device} and {@code app}, a device and an application, get what is published in either region.
 */
final class Region implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String NODE = "n1";
    private static final String FILTER = "cross/#";
    private static final long LONG = 3_600;
    private static final int TOPICS = 3;

    private final String name;
    private final TestCluster cluster;
    private final Map<String, IngestedReceiver> receivers = new LinkedHashMap<>();
    private final Map<String, TestClient> clients = new HashMap<>();
    private final Map<String, Integer> published = new HashMap<>();
    private int packetId;

    private Region(String name, TestCluster cluster) {
        this.name = name;
        this.cluster = cluster;
    }

    /** Starts one that takes in what comes from the other, without clients. */
    static Region start(Path folder, String name, String other) {
        return new Region(
                name,
                TestCluster.in(folder.resolve(name))
                        .nodes(1)
                        .topic(ingested(other), 1)
                        .setting("--tributary.ingest.topics=" + ingested(other))
                        .setting("--tributary.applications.rules[0].client-id=a*")
                        .setting("--tributary.applications.rules[0].kind=application")
                        .start());
    }

    /** The topic that a region has of another one's messages. */
    static String ingested(String from) {
        return from + ".tributary.app.across";
    }

    TestCluster cluster() {
        return cluster;
    }

    /** Begins the sessions. Nobody ever acknowledges what is in the topic of {@code across}. */
    void subscribe(boolean exactlyOnce) throws IOException {
        try (TestClient across = connect("across")) {
            subscribe(across);
        }
        for (String client : List.of("device", "app")) {
            subscribe(connect(client));
            receivers.put(client, new IngestedReceiver(client(client), !exactlyOnce));
        }
    }

    private static void subscribe(TestClient client) throws IOException {
        Subscription subscription =
                new Subscription(FILTER, QoS.EXACTLY_ONCE, false, false, RetainHandling.SEND);
        client.send(new Subscribe(1, List.of(subscription), 0, List.of()));
        assertThat(client.await(Suback.class, PATIENCE).reasons()).containsExactly(ReasonCode.GRANTED_QOS_2);
    }

    /** Publishes so many numbered messages, by turns of QoS 1 and 2, and waits until each is safe in this region. */
    void publish(int count) throws IOException {
        TestClient publisher = connect("publisher");
        for (int i = 0; i < count; i++) {
            QoS qos = i % 2 == 0 ? QoS.AT_LEAST_ONCE : QoS.EXACTLY_ONCE;
            String topic = "cross/" + name + "/" + qos.code() + "/" + i / 2 % TOPICS;
            int number = published.merge(topic, 1, Integer::sum) - 1;
            publish(publisher, topic, Integer.toString(number), qos, PublishProperties.NONE);
        }
        publisher.close();
    }

    private void publish(TestClient publisher, String topic, String text, QoS qos, PublishProperties properties)
            throws IOException {
        packetId = packetId % 65_535 + 1;
        publisher.send(new Publish(
                topic, text.getBytes(UTF_8), qos, false, false, packetId, 0, -1, properties, List.of()));
        if (qos == QoS.AT_LEAST_ONCE) {
            assertThat(publisher.await(Puback.class, PATIENCE).reason()).isEqualTo(ReasonCode.SUCCESS);
        } else {
            assertThat(publisher.await(Pubrec.class, PATIENCE).reason()).isEqualTo(ReasonCode.SUCCESS);
            publisher.send(new Pubrel(packetId, ReasonCode.SUCCESS, null, List.of()));
            publisher.await(Pubcomp.class, PATIENCE);
        }
    }

    /** Publishes one numbered message of QoS 1 with these properties. */
    void publish(PublishProperties properties) throws IOException {
        try (TestClient publisher = connect("publisher")) {
            String topic = "cross/" + name + "/with/properties";
            int number = published.merge(topic, 1, Integer::sum) - 1;
            publish(publisher, topic, Integer.toString(number), QoS.AT_LEAST_ONCE, properties);
        }
    }

    /** How many messages {@link #publish} has published here. */
    int published() {
        return published.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Has device and application take what comes until they have had so many messages, each once and in order. */
    void receive(int total) throws IOException {
        for (IngestedReceiver receiver : receivers.values()) {
            receiver.receive(total, PATIENCE);
        }
    }

    /** How many messages each client has had that are repeats, where repeats are allowed. */
    Map<String, Integer> repeats() {
        Map<String, Integer> repeats = new LinkedHashMap<>();
        receivers.forEach((client, receiver) -> repeats.put(client, receiver.repeats()));
        return repeats;
    }

    /** Kills the node. */
    void kill() {
        cluster.kill(NODE);
    }

    /** Starts it again; device and application resume their sessions. */
    void restart() throws IOException {
        cluster.start(NODE);
        for (Map.Entry<String, IngestedReceiver> receiver : receivers.entrySet()) {
            receiver.getValue().resume(connect(receiver.getKey()));
        }
    }

    int httpPort() {
        return cluster.node(NODE).httpPort();
    }

    /** Connects a client, whose session goes on afterwards. */
    TestClient connect(String client) throws IOException {
        TestClient opened = open();
        TestClient before = clients.put(client, opened);
        if (before != null) {
            before.close();
        }
        opened.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, client, LONG), PATIENCE);
        return opened;
    }

    /** A connection without a CONNECT. */
    TestClient open() throws IOException {
        return TestClient.open(cluster.node(NODE).tcpPort(), ProtocolVersion.MQTT_5);
    }

    private TestClient client(String client) {
        TestClient connected = clients.get(client);
        assertThat(connected).as(client).isNotNull();
        return connected;
    }

    @Override
    public void close() {
        clients.values().forEach(TestClient::close);
        cluster.close();
    }
}
