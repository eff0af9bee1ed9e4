package io.tributary.server.blackbox.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
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
import io.tributary.common.mqtt.Will;
import io.tributary.server.blackbox.BrokerExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A cluster gets fewer shards, then more, by a command that is killed a few times before it may end: sessions, queues,
 * what is in flight and wills go on as if nothing had been. {@code -Dreshard.kills} is how often, {@code -Dreshard.seed}
 * when.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class ReshardTest {
    private static final ProtocolVersion VERSION = ProtocolVersion.MQTT_5;
    private static final long EXPIRY_SECONDS = 3_600;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration NOTHING_COMES = Duration.ofSeconds(2);
    private static final int DEVICES = 20;
    private static final int KILLS = Integer.getInteger("reshard.kills", 3);
    private static final long SEED = Long.getLong("reshard.seed", System.nanoTime());
    private static final int LONGEST_MILLIS = 20_000;
    private static final String COMMAND = "io.tributary.server.ReshardCommand";

    private final Random random = new Random(SEED);
    private final List<String> published = new ArrayList<>();

    @Test
    void sessionsGoOnWithOtherShardsThoughTheCommandIsKilled() throws Exception {
        try (TestCluster cluster = TestCluster.in(Scratch.folder("reshard"))
                .nodes(2)
                .shards(8)
                .setting("--tributary.applications.rules[0].client-id=app-*")
                .setting("--tributary.applications.rules[0].kind=application")
                .start()) {
            fill(cluster);
            assertThat(reshard(cluster, 3, "--yes")).as("while nodes run").contains("stop all nodes first");
            cluster.kill("n1");
            cluster.stop("n2");
            reshardWithKills(cluster, 3);
            refusesOtherShards(cluster);
            for (int i = 1; i <= cluster.redis().size(); i++) {
                String _ = cluster.redis().call(i, "FLUSHALL"); // the new logs alone have all of it
            }
            start(cluster, 3);
            publish(cluster, "n2", "later", 10);
            cluster.stop("n2");
            cluster.kill("n1");
            reshardWithKills(cluster, 13);
            start(cluster, 13);
            publish(cluster, "n1", "last", 5);
            verify(cluster);
            assertThat(reshard(cluster, 13, "--yes")).contains("13 shards already");
        }
    }

    // What the cluster has.

    private void fill(TestCluster cluster) throws IOException {
        List<String> clients = new ArrayList<>(List.of("flow", "app-1"));
        for (int i = 0; i < DEVICES; i++) {
            clients.add("device-" + i);
        }
        for (String client : clients) {
            try (TestClient opened = open(cluster, "n1", client, false)) {
                subscribe(opened, "r/#");
            }
        }
        try (TestClient heir = open(cluster, "n2", "heir", false)) {
            subscribe(heir, "wills/#");
        }
        leaveWill(cluster, "testator", 45);
        leaveWill(cluster, "returning", EXPIRY_SECONDS);
        publish(cluster, "n2", "first", 30);
        TestClient publisher = open(cluster, "n1", "publisher", false);
        publisher.send(publication("r/open", "open", QoS.EXACTLY_ONCE, 77, false));
        published.add("open");
        publisher.await(Pubrec.class, PATIENCE);
        TestClient flow = open(cluster, "n1", "flow", true);
        Publish one = receive(flow);
        assertThat(one.qos()).isEqualTo(QoS.EXACTLY_ONCE);
        flow.send(new Pubrec(one.packetId(), ReasonCode.SUCCESS, null, List.of()));
        awaitRelease(flow, one.packetId()); // and no PUBCOMP; neither publisher nor flow ends its connection
    }

    private static void awaitRelease(TestClient client, int packetId) throws IOException {
        MqttPacket packet = client.await(MqttPacket.class, PATIENCE);
        while (!(packet instanceof Pubrel)) {
            packet = client.await(MqttPacket.class, PATIENCE);
        }
        assertThat(((Pubrel) packet).packetId()).isEqualTo(packetId);
    }

    private static void leaveWill(TestCluster cluster, String client, long delaySeconds) throws IOException {
        Message message = new Message(
                "wills/" + client,
                "gone".getBytes(UTF_8),
                QoS.EXACTLY_ONCE,
                false,
                PublishProperties.NONE,
                Message.NEVER,
                "");
        Connect connect = new Connect(
                VERSION,
                false,
                0,
                client,
                new Will(message, delaySeconds, -1),
                null,
                null,
                ConnectProperties.defaults(EXPIRY_SECONDS));
        try (TestClient testator = TestClient.open(cluster.node("n1").tcpPort(), VERSION)) {
            Connack _ = testator.connect(connect, PATIENCE);
        }
    }

    /** Publishes texts at QoS 2 and 1 in turns, some of them large; some expire some day. */
    private void publish(TestCluster cluster, String node, String name, int count) throws IOException {
        try (TestClient publisher = open(cluster, node, "source-" + name, false)) {
            for (int i = 0; i < count; i++) {
                String text = name + "-" + i + (i % 7 == 3 ? "x".repeat(9_000) : "");
                QoS qos = i % 2 == 0 ? QoS.EXACTLY_ONCE : QoS.AT_LEAST_ONCE;
                publisher.send(publication("r/" + name, text, qos, i + 1, false, i % 5 == 4 ? 3_600 : -1));
                if (qos == QoS.AT_LEAST_ONCE) {
                    publisher.await(Puback.class, PATIENCE);
                } else {
                    publisher.await(Pubrec.class, PATIENCE);
                    release(publisher, i + 1);
                }
                published.add(text);
            }
            publisher.send(new Publish(
                    "keep/" + name,
                    name.getBytes(UTF_8),
                    QoS.AT_LEAST_ONCE,
                    true,
                    false,
                    count + 1,
                    0,
                    MqttPacket.ABSENT,
                    PublishProperties.NONE,
                    List.of()));
            publisher.await(Puback.class, PATIENCE);
        }
    }

    // The command.

    private void reshardWithKills(TestCluster cluster, int shards) throws Exception {
        assertThat(reshard(cluster, shards)).contains("Nothing was changed");
        for (int kill = 0; kill < KILLS; kill++) {
            Process process = start(cluster, shards, "--yes");
            CompletableFuture<String> printed = printed(process);
            if (!process.waitFor(random.nextInt(LONGEST_MILLIS), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
            System.out.printf("seed %d, killed or ended after:%n%s%n", SEED, said(printed.get()));
        }
        String printed = reshard(cluster, shards, "--yes");
        System.out.println(said(printed));
        assertThat(printed).containsAnyOf("done: set tributary.cluster.shards=" + shards, shards + " shards already");
    }

    private static String reshard(TestCluster cluster, int shards, String... words) throws Exception {
        return printed(start(cluster, shards, words)).get();
    }

    private static Process start(TestCluster cluster, int shards, String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of("--shards=" + shards));
        all.addAll(List.of(words));
        return cluster.node("n1").command(COMMAND, all.toArray(String[]::new)).start();
    }

    private static CompletableFuture<String> printed(Process process) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return new String(process.getInputStream().readAllBytes(), UTF_8);
            } catch (IOException killed) {
                return "";
            }
        });
    }

    /** What the command itself has said, without the log of the node in it. */
    private static String said(String printed) {
        return String.join(
                "\n", printed.lines().filter(line -> !line.matches("^\\d{4}-.*")).toList());
    }

    private static void refusesOtherShards(TestCluster cluster) throws IOException {
        assertThatThrownBy(() -> cluster.start("n2")).isNotNull();
        assertThat(Files.readString(cluster.node("n2").log())).contains("set tributary.cluster.shards=3 on all nodes");
    }

    private static void start(TestCluster cluster, int shards) {
        for (String node : cluster.names()) {
            cluster.node(node).setting("--tributary.cluster.shards=" + shards);
        }
        cluster.start("n2");
        cluster.start("n1");
    }

    // What has become of it.

    private void verify(TestCluster cluster) throws IOException {
        try (TestClient publisher = open(cluster, "n2", "publisher", true)) {
            publisher.send(publication("r/open", "open", QoS.EXACTLY_ONCE, 77, true));
            publisher.await(Pubrec.class, PATIENCE);
            release(publisher, 77);
        }
        try (TestClient flow = open(cluster, "n1", "flow", true)) {
            Pubrel released = flow.await(Pubrel.class, PATIENCE);
            flow.send(new Pubcomp(released.packetId(), ReasonCode.SUCCESS, null, List.of()));
            receiveAll(flow, "flow", published.subList(1, published.size()));
        }
        for (int i = 0; i < DEVICES; i++) {
            try (TestClient device = open(cluster, i % 2 == 0 ? "n1" : "n2", "device-" + i, true)) {
                receiveAll(device, "device-" + i, published);
            }
        }
        try (TestClient application = open(cluster, "n2", "app-1", true)) {
            receiveAll(application, "app-1", published);
        }
        try (TestClient returning = open(cluster, "n1", "returning", true);
                TestClient heir = open(cluster, "n2", "heir", true)) {
            receiveAll(heir, "heir", List.of("gone"));
            assertThat(returning.isOpen()).isTrue();
        }
        try (TestClient reader = open(cluster, "n1", "reader", false)) {
            subscribe(reader, "keep/#");
            assertThat(List.of(text(receive(reader)), text(receive(reader)), text(receive(reader))))
                    .containsExactlyInAnyOrder("first", "later", "last");
        }
    }

    /** Takes all that comes, which must be these texts in this order, once each. */
    private static void receiveAll(TestClient client, String who, List<String> expected) throws IOException {
        List<String> received = new ArrayList<>();
        MqttPacket packet = client.poll(PATIENCE);
        while (packet != null) {
            if (packet instanceof Publish publish) {
                received.add(text(publish));
                client.send(
                        publish.qos() == QoS.EXACTLY_ONCE
                                ? new Pubrec(publish.packetId(), ReasonCode.SUCCESS, null, List.of())
                                : new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
            } else if (packet instanceof Pubrel pubrel) {
                client.send(new Pubcomp(pubrel.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
            packet = client.poll(received.size() < expected.size() ? PATIENCE : NOTHING_COMES);
        }
        assertThat(received).as(who).isEqualTo(expected);
    }

    // Packets.

    private static TestClient open(TestCluster cluster, String node, String clientId, boolean present)
            throws IOException {
        TestClient client = TestClient.open(cluster.node(node).tcpPort(), VERSION);
        Connack connack = client.connect(TestClient.connectPacket(VERSION, clientId, EXPIRY_SECONDS), PATIENCE);
        assertThat(connack.sessionPresent()).as(clientId).isEqualTo(present);
        return client;
    }

    private static void subscribe(TestClient client, String filter) throws IOException {
        Subscription one = new Subscription(filter, QoS.EXACTLY_ONCE, false, false, RetainHandling.SEND);
        client.send(new Subscribe(1, List.of(one), 0, List.of()));
        assertThat(client.await(Suback.class, PATIENCE).reasons()).containsExactly(ReasonCode.GRANTED_QOS_2);
    }

    private static Publish receive(TestClient client) throws IOException {
        return client.await(Publish.class, PATIENCE);
    }

    private static String text(Publish publish) {
        return new String(publish.payload(), UTF_8);
    }

    private static void release(TestClient publisher, int packetId) throws IOException {
        publisher.send(new Pubrel(packetId, ReasonCode.SUCCESS, null, List.of()));
        publisher.await(Pubcomp.class, PATIENCE);
    }

    private static Publish publication(String topic, String text, QoS qos, int packetId, boolean dup) {
        return publication(topic, text, qos, packetId, dup, -1);
    }

    private static Publish publication(
            String topic, String text, QoS qos, int packetId, boolean dup, long expirySeconds) {
        return new Publish(
                topic,
                text.getBytes(UTF_8),
                qos,
                false,
                dup,
                packetId,
                0,
                expirySeconds < 0 ? MqttPacket.ABSENT : expirySeconds,
                PublishProperties.NONE,
                List.of());
    }
}
