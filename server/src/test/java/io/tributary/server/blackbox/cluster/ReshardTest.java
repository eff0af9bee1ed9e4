package io.tributary.server.blackbox.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
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
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A cluster gets fewer shards, then more, by a command that is killed at each of its steps before it may end: sessions,
 * queues, what is in flight, wills and subscriptions go on as if nothing had been.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 25, unit = TimeUnit.MINUTES)
@Tag("long")
class ReshardTest {
    private static final ProtocolVersion VERSION = ProtocolVersion.MQTT_5;
    private static final long EXPIRY_SECONDS = 7_200;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration NOTHING_COMES = Duration.ofSeconds(2);
    private static final int DEVICES = 12;
    private static final String COMMAND = "io.tributary.server.ReshardCommand";

    /** What the command says, in this order. */
    private static final List<String> STEPS = List.of(
            "shards (generation",
            "an owner brings the shards to rest",
            "the shards are at rest",
            "written: ",
            "compared: ",
            "switched: ");

    /** What was published, by the part of the topic that its subscribers have. */
    private final Map<String, List<Sent>> published = new HashMap<>();

    private final List<Subscriber> devices = new ArrayList<>();
    private final Subscriber flow = new Subscriber("flow");
    private final Subscriber application = new Subscriber("app-1");
    private final Subscriber heir = new Subscriber("heir");
    private final List<Subscriber> members = List.of(new Subscriber("member-1"), new Subscriber("member-2"));
    private final List<Subscriber> hosted = List.of(new Subscriber("app-2"), new Subscriber("app-3"));

    private record Sent(String publisher, QoS qos, String text) {}

    @Test
    void sessionsGoOnWithOtherShardsThoughTheCommandIsKilled() throws Exception {
        try (TestCluster cluster = TestCluster.in(Scratch.folder("reshard"))
                .nodes(2)
                .shards(24)
                .setting("--tributary.applications.rules[0].client-id=app-*")
                .setting("--tributary.applications.rules[0].kind=application")
                .start()) {
            fill(cluster);
            assertThat(reshard(cluster, 8)).as("while nodes run").contains("Nothing was changed");
            assertThat(reshard(cluster, 8, "--yes")).as("while nodes run").contains("stop all nodes first");
            cluster.kill("n1");
            cluster.stop("n2");
            refuseWrongNumber(cluster);
            STEPS.subList(0, 3).forEach(step -> killBehind(step, cluster, 8));
            refuseNode(cluster, "being changed from 24 to 8");
            giveUp(cluster);
            STEPS.subList(2, STEPS.size()).forEach(step -> killBehind(step, cluster, 8));
            refuseNode(cluster, "set tributary.cluster.shards=8 on all nodes");
            assertThat(reshard(cluster, 8, "--yes")).contains("8 shards already");
            assertThat(keysOfFirstShards(cluster)).isEmpty();
            assertThat(topics(cluster))
                    .filteredOn(topic -> topic.startsWith("tributary.shards"))
                    .singleElement()
                    .isNotEqualTo("tributary.shards");
            for (int i = 1; i <= cluster.redis().size(); i++) {
                String _ = cluster.redis().call(i, "FLUSHALL"); // the new logs alone have all of it
            }
            start(cluster, 8);
            goOn(cluster);
            cluster.stop("n2");
            cluster.kill("n1");
            killBehind("an owner brings the shards to rest", cluster, 48);
            killBehind("written: ", cluster, 48);
            assertThat(reshard(cluster, 48, "--yes")).contains("done: set tributary.cluster.shards=48");
            start(cluster, 48);
            publish(cluster, "n1", "last", 6);
            verify(cluster);
        }
    }

    // What the cluster has.

    private void fill(TestCluster cluster) throws IOException {
        for (int i = 0; i < DEVICES; i++) {
            devices.add(new Subscriber("device-" + i));
        }
        for (Subscriber each :
                Stream.concat(devices.stream(), Stream.of(flow, application)).toList()) {
            begin(cluster, each, "all/#");
        }
        begin(cluster, heir, "wills/#");
        for (Subscriber member : members) {
            begin(cluster, member, "$share/g/all/#");
        }
        for (Subscriber member : hosted) {
            begin(cluster, member, "$share/h/all/#");
        }
        leaveWill(cluster, "testator", 45);
        leaveWill(cluster, "returning", EXPIRY_SECONDS);
        leaveWill(cluster, "ending", EXPIRY_SECONDS);
        publish(cluster, "n2", "first", 30);
        // These connections end with their node.
        TestClient publisher = open(cluster, "n1", "publisher", false);
        publisher.send(publication("all/open", "open-0", QoS.EXACTLY_ONCE, 77, false, -1));
        publisher.await(Pubrec.class, PATIENCE);
        sent("open", QoS.EXACTLY_ONCE, "open-0");
        TestClient flowing = open(cluster, "n1", flow.clientId(), true);
        flow.await(flowing, 3, PATIENCE);
        flow.receiveFirst(flowing, PATIENCE);
    }

    private static void begin(TestCluster cluster, Subscriber subscriber, String filter) throws IOException {
        try (TestClient client = open(cluster, "n1", subscriber.clientId(), false)) {
            subscribe(client, filter);
        }
    }

    private static void leaveWill(TestCluster cluster, String client, long delaySeconds) throws IOException {
        Message message = new Message(
                "wills/" + client,
                client.getBytes(UTF_8),
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

    /** Publishes texts at QoS 2 and 1 in turns, some of them large, some that expire some day; and a retained one. */
    private void publish(TestCluster cluster, String node, String name, int count) throws IOException {
        try (TestClient publisher = open(cluster, node, "source-" + name, false)) {
            for (int i = 0; i < count; i++) {
                String text = name + "-" + i + (i % 7 == 3 ? "x".repeat(9_000) : "");
                QoS qos = i % 2 == 0 ? QoS.EXACTLY_ONCE : QoS.AT_LEAST_ONCE;
                publisher.send(publication("all/" + name, text, qos, i + 1, false, i % 5 == 4 ? 7_200 : -1));
                if (qos == QoS.AT_LEAST_ONCE) {
                    publisher.await(Puback.class, PATIENCE);
                } else {
                    publisher.await(Pubrec.class, PATIENCE);
                    release(publisher, i + 1);
                }
                sent(name, qos, text);
            }
            publisher.send(TestTalk.publication("keep/" + name, name, QoS.AT_LEAST_ONCE, true, count + 1));
            publisher.await(Puback.class, PATIENCE);
        }
    }

    private void sent(String publisher, QoS qos, String text) {
        published.computeIfAbsent(publisher, _ -> new ArrayList<>()).add(new Sent(publisher, qos, text));
    }

    // The command.

    /** Runs the command until it ends, and gives what it has printed. */
    static String reshard(TestCluster cluster, int shards, String... words) throws IOException {
        return reshard(
                cluster,
                Stream.concat(Stream.of("--shards=" + shards), Stream.of(words)).toList(),
                "");
    }

    private static void killBehind(String step, TestCluster cluster, int shards) {
        try {
            assertThat(reshard(cluster, List.of("--shards=" + shards, "--yes"), step))
                    .contains(step);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Runs the command until it ends, or kills it once it has said something.
     *
     * @param last what that is; empty for nothing
     * @return what it has printed
     */
    private static String reshard(TestCluster cluster, List<String> words, String last) throws IOException {
        Process process = cluster.node("n1")
                .command(COMMAND, words.toArray(String[]::new))
                .start();
        StringBuilder printed = new StringBuilder();
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                printed.append(line).append('\n');
                if (!last.isEmpty() && line.contains(last)) {
                    break;
                }
            }
        } finally {
            process.destroyForcibly();
        }
        process.onExit().join();
        System.out.printf("%s, killed behind '%s':%n%s%n", words, last, printed);
        return printed.toString();
    }

    /** The configuration has another number than the cluster was made with. */
    private static void refuseWrongNumber(TestCluster cluster) throws IOException {
        cluster.node("n1").setting("--tributary.cluster.shards=12");
        assertThat(reshard(cluster, 8, "--yes")).contains("its cluster was made with 24 shards");
        cluster.node("n1").setting("--tributary.cluster.shards=24");
    }

    /** A node with the number of before does not start. */
    private static void refuseNode(TestCluster cluster, String why) {
        assertThatThrownBy(() -> cluster.start("n2")).hasMessageContaining(why);
    }

    /** After that the cluster is what it was. */
    private void giveUp(TestCluster cluster) throws IOException {
        assertThat(reshard(cluster, List.of("--abandon"), "")).contains("the cluster has 24 shards, as before");
        cluster.start("n2");
        try (TestClient device = open(cluster, "n2", devices.getFirst().clientId(), true)) {
            devices.getFirst().take(device, 4, PATIENCE);
        }
        cluster.stop("n2");
    }

    private static List<String> keysOfFirstShards(TestCluster cluster) {
        List<String> keys = new ArrayList<>();
        for (int i = 1; i <= cluster.redis().size(); i++) {
            keys.addAll(cluster.redis().call(i, "KEYS", "tributary:{*").lines().toList());
        }
        keys.removeIf(String::isBlank);
        return keys;
    }

    private static List<String> topics(TestCluster cluster) throws ExecutionException, InterruptedException {
        try (Admin admin = cluster.kafkaAdmin()) {
            return List.copyOf(admin.listTopics().names().get());
        }
    }

    private static void start(TestCluster cluster, int shards) {
        for (String node : cluster.names()) {
            cluster.node(node).setting("--tributary.cluster.shards=" + shards);
        }
        cluster.start("n2");
        cluster.start("n1");
    }

    // What has become of it.

    /** Some of it goes on with the shards in between. */
    private void goOn(TestCluster cluster) throws IOException {
        publish(cluster, "n2", "later", 10);
        TestClient device = open(cluster, "n1", devices.get(1).clientId(), true); // ends with its node
        devices.get(1).await(device, 2, PATIENCE);
        devices.get(1).receiveFirst(device, PATIENCE);
        try (TestClient client = open(cluster, "n2", application.clientId(), true)) {
            application.take(client, 10, PATIENCE);
        }
    }

    private void verify(TestCluster cluster) throws IOException {
        try (TestClient publisher = open(cluster, "n2", "publisher", true)) {
            publisher.send(publication("all/open", "open-0", QoS.EXACTLY_ONCE, 77, true, -1));
            publisher.await(Pubrec.class, PATIENCE);
            release(publisher, 77);
        }
        int node = 0;
        for (Subscriber each :
                Stream.concat(devices.stream(), Stream.of(flow, application)).toList()) {
            try (TestClient client = open(cluster, node++ % 2 == 0 ? "n1" : "n2", each.clientId(), true)) {
                each.take(client, count(), PATIENCE);
                each.take(client, Integer.MAX_VALUE, NOTHING_COMES);
            }
            hasAll(each);
        }
        verifyGroup(cluster, members);
        verifyGroup(cluster, hosted);
        verifyWills(cluster);
        try (TestClient reader = open(cluster, "n1", "reader", false)) {
            subscribe(reader, "keep/#");
            assertThat(List.of(text(reader), text(reader), text(reader)))
                    .containsExactlyInAnyOrder("first", "later", "last");
        }
    }

    private int count() {
        return published.values().stream().mapToInt(List::size).sum();
    }

    /** All that was published, in the order of its publisher and QoS. */
    private void hasAll(Subscriber subscriber) {
        published.forEach((publisher, all) -> {
            for (QoS qos : List.of(QoS.AT_LEAST_ONCE, QoS.EXACTLY_ONCE)) {
                assertThat(subscriber.got(qos).stream().filter(text -> text.startsWith(publisher + "-")))
                        .as("%s of %s at %s", subscriber.clientId(), publisher, qos)
                        .isEqualTo(all.stream()
                                .filter(one -> one.qos() == qos)
                                .map(Sent::text)
                                .toList());
            }
        });
        assertThat(subscriber.count()).as(subscriber.clientId()).isEqualTo(count());
    }

    /** Each message went to one of the members. */
    private void verifyGroup(TestCluster cluster, List<Subscriber> group) throws IOException {
        try (TestClient one = open(cluster, "n1", group.getFirst().clientId(), true);
                TestClient other = open(cluster, "n2", group.getLast().clientId(), true)) {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (group.getFirst().count() + group.getLast().count() < count() && System.nanoTime() < deadline) {
                group.getFirst().take(one, Integer.MAX_VALUE, Duration.ofMillis(100));
                group.getLast().take(other, Integer.MAX_VALUE, Duration.ofMillis(100));
            }
            group.getFirst().take(one, Integer.MAX_VALUE, NOTHING_COMES);
            group.getLast().take(other, Integer.MAX_VALUE, NOTHING_COMES);
        }
        List<String> got = group.stream()
                .flatMap(
                        member -> Stream.of(QoS.AT_LEAST_ONCE, QoS.EXACTLY_ONCE).map(member::got))
                .flatMap(List::stream)
                .toList();
        assertThat(got)
                .as("the group of %s", group.getFirst().clientId())
                .containsExactlyInAnyOrderElementsOf(published.values().stream()
                        .flatMap(List::stream)
                        .map(Sent::text)
                        .toList());
    }

    /** One was due long ago, one when its session ends, and one never: its client is there again. */
    private void verifyWills(TestCluster cluster) throws IOException {
        try (TestClient returning = open(cluster, "n1", "returning", true);
                TestClient client = open(cluster, "n2", heir.clientId(), true)) {
            heir.take(client, 1, PATIENCE);
            assertThat(heir.got(QoS.EXACTLY_ONCE)).containsExactly("testator");
            try (TestClient ending = TestClient.open(cluster.node("n1").tcpPort(), VERSION)) {
                Connack _ = ending.connect(TestClient.connectPacket(VERSION, "ending", 0), PATIENCE);
                heir.take(client, 2, PATIENCE);
            }
            heir.take(client, Integer.MAX_VALUE, NOTHING_COMES);
            assertThat(heir.got(QoS.EXACTLY_ONCE)).containsExactly("testator", "ending");
            assertThat(returning.isOpen()).isTrue();
        }
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
        assertThat(client.await(Suback.class, PATIENCE).reasons())
                .singleElement()
                .satisfies(reason -> assertThat(reason.isError()).isFalse());
    }

    private static String text(TestClient client) throws IOException {
        return new String(client.await(Publish.class, PATIENCE).payload(), UTF_8);
    }

    private static void release(TestClient publisher, int packetId) throws IOException {
        publisher.send(new Pubrel(packetId, ReasonCode.SUCCESS, null, List.of()));
        publisher.await(Pubcomp.class, PATIENCE);
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
