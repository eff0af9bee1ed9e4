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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One of two regions: a cluster of one node, and its clients. What is published there goes across by the session
 * {@code across}; {@code device} and {@code app}, a device and an application, get what is published in either region.
 */
final class Region implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final String NODE = "n1";
    private static final String PUBLISHER = "publisher";
    private static final String FILTER = "cross/#";
    private static final long LONG = 3_600;
    private static final int TOPICS = 3;

    private final String name;
    private final TestCluster cluster;
    private final Map<String, IngestedReceiver> receivers = new LinkedHashMap<>();
    private final Map<String, TestClient> clients = new HashMap<>();
    private final Map<String, Integer> published = new HashMap<>();
    private final Set<String> sentTwice = new HashSet<>();
    private int packetId;
    private boolean isReceived;

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
    void subscribe(Predicate<Publish> mayRepeat) throws IOException {
        try (TestClient across = connect("across")) {
            subscribe(across);
        }
        for (String client : List.of("device", "app")) {
            TestClient connected = connect(client);
            subscribe(connected);
            receivers.put(client, new IngestedReceiver(connected, mayRepeat));
        }
    }

    private static void subscribe(TestClient client) throws IOException {
        Subscription subscription = new Subscription(FILTER, QoS.EXACTLY_ONCE, false, false, RetainHandling.SEND);
        client.send(new Subscribe(1, List.of(subscription), 0, List.of()));
        assertThat(client.await(Suback.class, PATIENCE).reasons()).containsExactly(ReasonCode.GRANTED_QOS_2);
    }

    /** Publishes so many numbered messages, by turns of QoS 1 and 2, and waits until each is safe in this region. */
    void publish(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            QoS qos = i % 2 == 0 ? QoS.AT_LEAST_ONCE : QoS.EXACTLY_ONCE;
            publish("cross/" + name + "/" + qos.code() + "/" + i / 2 % TOPICS, qos, PublishProperties.NONE);
        }
    }

    /** Publishes one numbered message of QoS 1 with these properties. */
    void publish(PublishProperties properties) throws IOException {
        publish("cross/" + name + "/with/properties", QoS.AT_LEAST_ONCE, properties);
    }

    /** A connection that ends is no fault here: the machine may be so busy that the broker has to give up. */
    private void publish(String topic, QoS qos, PublishProperties properties) throws IOException {
        int number = published.merge(topic, 1, Integer::sum) - 1;
        byte[] payload = Integer.toString(number).getBytes(UTF_8);
        packetId = packetId % 65_535 + 1;
        isReceived = false;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        boolean again = false;
        while (true) {
            try {
                TestClient known = clients.get(PUBLISHER);
                TestClient publisher = again || known == null ? connect(PUBLISHER) : known;
                exchange(
                        publisher,
                        new Publish(topic, payload, qos, false, again, packetId, 0, -1, properties, List.of()));
                return;
            } catch (IOException failure) {
                if (System.nanoTime() - deadline > 0) {
                    throw failure;
                }
                again = true;
                if (qos == QoS.AT_LEAST_ONCE) {
                    sentTwice.add(topic + " " + number);
                }
            }
        }
    }

    /** All packets of one message, or what of them is left to do. */
    private void exchange(TestClient publisher, Publish publish) throws IOException {
        if (!isReceived) {
            publisher.send(publish);
        }
        if (publish.qos() == QoS.AT_LEAST_ONCE) {
            assertThat(publisher.await(Puback.class, PATIENCE).reason()).isEqualTo(ReasonCode.SUCCESS);
            return;
        }
        if (!isReceived) {
            assertThat(publisher.await(Pubrec.class, PATIENCE).reason()).isEqualTo(ReasonCode.SUCCESS);
            isReceived = true;
        }
        publisher.send(new Pubrel(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
        publisher.await(Pubcomp.class, PATIENCE);
    }

    /** Whether the publisher does not know whether it has published the message once or twice. */
    boolean isSentTwice(Publish publish) {
        return sentTwice.contains(publish.topic() + " " + new String(publish.payload(), UTF_8));
    }

    /** How many messages these are. */
    int sentTwice() {
        return sentTwice.size();
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
        TestClient publisher = clients.remove(PUBLISHER);
        if (publisher != null) {
            publisher.close();
        }
    }

    /** Kills all that the region has: its Kafka, its Redis, and the node. Their data stays. */
    void killAll() {
        cluster.kafka().close();
        cluster.redis().close();
        kill();
    }

    /** Starts all of it again; device and application resume their sessions. */
    void restartAll() throws IOException {
        cluster.kafka().restartAll();
        cluster.redis().restartAll();
        restart();
    }

    /** Starts the node again; device and application resume their sessions. */
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

    @Override
    public void close() {
        clients.values().forEach(TestClient::close);
        cluster.close();
    }
}
