package io.tributary.server.blackbox.cluster;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients of different nodes of a cluster may rely on: each promise that needs more than one node, by itself. */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClusterPromisesTest {
    private static final ProtocolVersion VERSION = ProtocolVersion.MQTT_5;
    private static final long LONG = 3_600;
    private static final int TIMES = Integer.getInteger("cluster.times", 100);

    /** For an answer or a message, also from a cluster that has just lost a node. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Duration SOON = Duration.ofMillis(5);

    private static final AtomicInteger TESTS = new AtomicInteger();

    private static TestCluster cluster;

    /** Begins every client identifier and topic of the test. */
    private final String name = "promise" + TESTS.incrementAndGet();

    private final List<TestClient> clients = new ArrayList<>();

    @BeforeAll
    static void start() {
        cluster = TestCluster.in(Scratch.folder("promises"))
                .topic("commands", 1)
                .setting("--tributary.ingest.topics=commands")
                .setting("--tributary.sys.interval=1s")
                .setting("--tributary.subscriptions.max-filter-size=65535B")
                .setting("--tributary.subscriptions.max-size-per-client=2MB")
                .setting("--tributary.applications.rules[0].client-id=*app-small-*")
                .setting("--tributary.applications.rules[0].kind=application")
                .setting("--tributary.applications.rules[0].topic=shared")
                .setting("--tributary.applications.rules[1].client-id=*app-*")
                .setting("--tributary.applications.rules[1].kind=application")
                .start();
        awaitWhole();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(TestClient::close);
    }

    /** Subscribed here, published there as soon as SUBACK is seen: within two milliseconds on the slowest machine. */
    @ParameterizedTest
    @ValueSource(longs = {0, LONG})
    void subscriptionHoldsEverywhereWhenSubackIsSeen(long expirySeconds) throws IOException {
        TestClient subscriber = connect("n1", "subscriber", expirySeconds);
        TestClient publisher = connect("n2", "publisher", 0);
        long longestNanos = 0;
        for (int i = 0; i < TIMES; i++) {
            subscribe(subscriber, "now/" + i);
            long seenNanos = System.nanoTime();
            publisher.send(publication("now/" + i, "m" + i, false));
            longestNanos = Math.max(longestNanos, System.nanoTime() - seenNanos);
            assertThat(text(receive(subscriber))).isEqualTo("now/" + i + " m" + i);
            assertThat(publisher.await(Puback.class, PATIENCE).reason()).isEqualTo(ReasonCode.SUCCESS);
        }
        System.out.printf("SUBACK to PUBLISH: at most %.2f ms%n", longestNanos / 1e6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"device", "app-own", "app-small-one"})
    void takesSessionOverWhenClientConnectsToAnotherNode(String roaming) throws IOException {
        TestClient publisher = connect("n3", "publisher", 0);
        TestClient first = connect("n1", roaming, LONG);
        subscribe(first, "to-roaming/#");
        publish(publisher, "to-roaming/a", "acknowledged", false);
        assertThat(text(receive(first))).isEqualTo("to-roaming/a acknowledged");
        first.send(new Pingreq());
        first.await(Pingresp.class, PATIENCE); // the node has read the PUBACK
        publish(publisher, "to-roaming/a", "not acknowledged", false);
        Publish open = first.await(Publish.class, PATIENCE);

        TestClient second = open("n2");
        Connack connack = second.connect(packet(roaming, LONG, null), PATIENCE);
        assertThat(connack.sessionPresent()).isTrue();
        assertThat(first.awaitClose())
                .isInstanceOfSatisfying(
                        Disconnect.class,
                        farewell -> assertThat(farewell.reason()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER));
        Publish again = receive(second);
        assertThat(text(again)).isEqualTo("to-roaming/a not acknowledged");
        assertThat(again.dup()).isTrue();
        assertThat(again.packetId()).isEqualTo(open.packetId());
        publish(publisher, "to-roaming/a", "after", false);
        assertThat(text(receive(second))).isEqualTo("to-roaming/a after");
    }

    /** Two clients in one shard whose names together are larger than any record. */
    @Test
    void publisherIsServedHoweverLongTheNamesAreWithWhichOthersSubscribe() throws IOException {
        TestClient publisher = connect("n1", "publisher", 0);
        List<TestClient> hostile = new ArrayList<>();
        for (int i = 0; hostile.size() < 2; i++) {
            if (shardOf(name + "hostile" + i) == 0) {
                hostile.add(connect("n2", "hostile" + i, LONG));
            }
        }
        String longName = "x".repeat(65_000);
        for (int i = 0; i < 32; i++) {
            String filter = "$share/" + i + longName + "/" + name + "/#";
            subscribe(
                    hostile.get(i % 2), new Subscription(filter, QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND));
        }
        for (int i = 0; i < 5; i++) {
            publish(publisher, "names", "m" + i, false);
        }
        for (TestClient client : hostile) {
            for (int i = 0; i < 5 * 16; i++) {
                assertThat(text(receive(client))).startsWith("names m");
            }
        }
    }

    private static int shardOf(String clientId) {
        int hash = clientId.hashCode() * 0x9E3779B9;
        return Integer.remainderUnsigned(hash ^ (hash >>> 16), cluster.shards());
    }

    /** What it said when it left one node is known before it comes to the next, although nobody but the log says so. */
    @Test
    void publishesNoWillWhenClientLeavesOneNodeForAnother() throws IOException {
        TestClient watcher = connect("n3", "watcher", LONG);
        subscribe(watcher, "wills/#");
        for (int i = 0; i < TIMES / 5; i++) {
            TestClient roaming = connect(i % 2 == 0 ? "n1" : "n2", "roaming", LONG, will("wills/" + i));
            roaming.send(new Disconnect(ReasonCode.SUCCESS, MqttPacket.ABSENT, null, null, List.of()));
            roaming.awaitClose();
        }
        connect("n3", "roaming", LONG, will("wills/last")).close();
        assertThat(text(receive(watcher))).isEqualTo("wills/last gone"); // wills of one client keep their order
    }

    @Test
    void showsRetainedMessageOnAllNodesWhenItWasSetOnOne() throws IOException {
        TestClient publisher = connect("n1", "publisher", 0);
        publish(publisher, "retained/a", "old", true);
        publish(publisher, "retained/a", "new", true);
        publish(publisher, "retained/b", "soon gone", true);
        publish(publisher, "retained/b", "", true);
        for (String node : cluster.names()) {
            TestClient reader = connect(node, "reader-" + node, 0);
            subscribe(reader, "retained/#");
            Publish retained = receive(reader);
            assertThat(text(retained)).isEqualTo("retained/a new");
            assertThat(retained.retain()).isTrue();
            publish(publisher, "retained/marker", "marker", false);
            assertThat(text(receive(reader))).isEqualTo("retained/marker marker");
        }
    }

    @Test
    void publishesWillOnceWhenNodeOfClientIsKilled() throws IOException {
        TestClient watcher = connect("n1", "watcher", LONG);
        subscribe(watcher, "wills/#");
        TestClient polite = connect("n3", "polite", LONG, will("wills/polite"));
        polite.send(new Disconnect(ReasonCode.SUCCESS, MqttPacket.ABSENT, null, null, List.of()));
        polite.awaitClose();
        connect("n3", "persistent", LONG, will("wills/persistent"));
        connect("n3", "transient", 0, will("wills/transient"));
        long killedNanos = System.nanoTime();
        cluster.kill("n3");
        List<String> wills = new ArrayList<>();
        wills.add(text(receive(watcher)));
        wills.add(text(receive(watcher)));
        double seconds = (System.nanoTime() - killedNanos) / 1e9;
        start("n3");
        publish(connect("n3", "publisher", 0), "wills/marker", "marker", false);
        wills.add(text(receive(watcher)));
        assertThat(wills.subList(0, 2)).containsExactlyInAnyOrder("wills/persistent gone", "wills/transient gone");
        assertThat(wills.getLast()).isEqualTo("wills/marker marker");
        System.out.printf("wills of a killed node's clients: after %.1f s%n", seconds);
    }

    /** The subscribers are one of each shard, so those of the killed node are among them; and some are applications. */
    @Test
    void deliversThroughNewOwnersWhenNodeIsKilled() throws IOException {
        TestClient publisher = connect("n1", "publisher", 0);
        List<TestClient> subscribers = new ArrayList<>();
        for (int i = 0; i < 4 * cluster.shards(); i++) {
            TestClient subscriber = connect(i % 2 == 0 ? "n1" : "n3", (i % 8 == 3 ? "app-owned" : "owned") + i, LONG);
            subscribe(subscriber, "owned/#");
            subscribers.add(subscriber);
        }
        long killedNanos = System.nanoTime();
        cluster.kill("n2");
        publish(publisher, "owned/a", "through new owners", false);
        for (TestClient subscriber : subscribers) {
            assertThat(text(receive(subscriber))).isEqualTo("owned/a through new owners");
        }
        System.out.printf(
                "delivery by the new owners of a killed node's shards: after %.1f s%n",
                (System.nanoTime() - killedNanos) / 1e9);
        start("n2");
    }

    /**
     * First its node dies, then it is away, for longer than Kafka keeps the offsets of groups without consumers; each
     * time it goes on where it had acknowledged.
     */
    @Test
    void applicationGetsEverythingInOrderWhateverDies() throws IOException {
        getsEverythingInOrderWhateverDies("app-own");
    }

    @Tag("long")
    @Test
    void applicationInASharedTopicGetsEverythingInOrderWhateverDies() throws IOException {
        getsEverythingInOrderWhateverDies("app-small-one");
    }

    private void getsEverythingInOrderWhateverDies(String application) throws IOException {
        TestClient reader = connect("n1", application, LONG);
        subscribe(reader, "firehose");
        TestClient publisher = connect("n2", "publisher", 0);
        int sent = 0;
        for (; sent < 200; sent++) {
            publish(publisher, "firehose", "" + sent, false);
        }
        int seen = readInOrder(reader, 0, 100);
        cluster.kill("n1");
        for (; sent < 400; sent++) {
            publish(publisher, "firehose", "" + sent, false);
        }
        reader = connect("n3", application, LONG);
        seen = readInOrder(reader, seen, 300);
        forgetCommittedOffset(application);
        reader.close();
        start("n1");
        for (; sent < 600; sent++) {
            publish(publisher, "firehose", "" + sent, false);
        }
        readInOrder(connect("n1", application, LONG), seen, sent);
    }

    /** An administrator deletes it: what was in it is lost, and nothing that is published later. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void applicationGetsWhatIsPublishedAfterItsTopicWasDeleted(boolean isAway) throws IOException {
        String application = isAway ? "app-away" : "app-here";
        TestClient reader = connect("n1", application, LONG);
        TestClient publisher = connect("n2", "publisher", 0);
        subscribe(reader, "firehose");
        for (int i = 0; i < 40; i++) {
            publish(publisher, "firehose", "" + i, false);
        }
        readInOrder(reader, 0, 40);
        if (isAway) {
            reader.close();
        }
        cluster.deleteTopic(TestCluster.APPLICATION_TOPICS + name + application);
        for (int i = 40; i < 100; i++) {
            publish(publisher, "firehose", "" + i, false);
        }
        readInOrder(isAway ? connect("n3", application, LONG) : reader, 40, 100);
    }

    /** As Kafka does by itself after a week, unless configured. */
    private void forgetCommittedOffset(String application) {
        String group = TestCluster.APPLICATION_TOPICS + name + application;
        try (Admin admin = cluster.kafkaAdmin()) {
            until(() -> !get(admin.listConsumerGroupOffsets(group)
                            .partitionsToOffsetAndMetadata()
                            .toCompletionStage())
                    .isEmpty());
            get(admin.deleteConsumerGroups(List.of(group)).all().toCompletionStage());
        }
    }

    /**
     * Members on all nodes; two of three nodes die one after the other, so that whoever hands out the messages does,
     * too.
     */
    @Tag("long")
    @Test
    void applicationsThatShareGetEverythingWhateverDies() throws IOException {
        TestClient publisher = connect("n2", "publisher", 0);
        Map<String, TestClient> members = new TreeMap<>();
        for (String node : List.of("n1", "n2", "n3")) {
            members.put("app-" + node, share(connect(node, "app-" + node, LONG)));
        }
        Map<Integer, Integer> got = new TreeMap<>();
        int sent = publishNumbers(publisher, 0, 300);
        takeShared(members.values(), got, 100);
        for (String node : List.of("n1", "n3")) {
            cluster.kill(node);
            sent = publishNumbers(publisher, sent, sent + 300);
            members.put("app-" + node, connect("n2", "app-" + node, LONG));
            takeShared(members.values(), got, sent - 50);
            start(node);
        }
        members.values().forEach(TestClient::close);
        sent = publishNumbers(publisher, sent, sent + 300);
        takeShared(List.of(connect("n3", "app-n1", LONG)), got, sent);
        assertThat(got).hasSize(sent);
    }

    private TestClient share(TestClient client) throws IOException {
        String filter = "$share/" + name + "/" + name + "/firehose";
        subscribe(client, new Subscription(filter, QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND));
        return client;
    }

    private int publishNumbers(TestClient publisher, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            publish(publisher, "firehose", "" + i, false);
        }
        return to;
    }

    /**
     * Takes and acknowledges messages until so many different ones have come. Of all copies of one, only the first was
     * sent without DUP; it may lie in a member's socket while another member's copy is read.
     *
     * @param got how often each came without DUP
     */
    private static void takeShared(Collection<TestClient> members, Map<Integer, Integer> got, int wanted)
            throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (got.size() < wanted && System.nanoTime() < deadline) {
            for (TestClient member : members) {
                while (got.size() < wanted && member.isOpen() && member.poll(SOON) instanceof Publish publish) {
                    member.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
                    int number = Integer.parseInt(new String(publish.payload(), UTF_8));
                    int unmarked = got.merge(number, publish.dup() ? 0 : 1, Integer::sum);
                    assertThat(unmarked).as("copies of %d without DUP", number).isLessThanOrEqualTo(1);
                }
            }
        }
        assertThat(got).hasSizeGreaterThanOrEqualTo(wanted);
    }

    /** Takes messages until so many have come in order; one that comes again has DUP. */
    private int readInOrder(TestClient reader, int from, int to) throws IOException {
        int next = from;
        while (next < to) {
            Publish got = receive(reader);
            int number = Integer.parseInt(new String(got.payload(), UTF_8));
            if (number < next) {
                assertThat(got.dup()).isTrue();
            } else {
                assertThat(number).isEqualTo(next);
                next++;
            }
        }
        return next;
    }

    /** From any node: the watcher is at one, the others have more clients, and one of these dies and comes back. */
    @Test
    void tellsOfAllNodesInSysTopicsWhenOneDiesAndComesBack() throws IOException {
        TestClient watcher = connect("n1", "watcher", 0);
        subscribe(watcher, new Subscription("$SYS/#", QoS.AT_MOST_ONCE, false, false, RetainHandling.SEND));
        for (int i = 0; i < 5; i++) {
            connect(i < 2 ? "n2" : "n3", "client" + i, 0);
        }
        Map<String, String> seen = new HashMap<>();
        awaitSys(
                watcher,
                seen,
                Map.of(
                        "broker/clients/connected", "1",
                        "cluster/clients/connected", "6",
                        "cluster/nodes/n2/clients/connected", "2",
                        "cluster/nodes/n3/clients/connected", "3",
                        "cluster/nodes/n3/state", "live",
                        "cluster/nodes/live", "3",
                        "cluster/nodes/silent", "0",
                        "cluster/shards/count", "" + cluster.shards(),
                        "cluster/shards/unowned", "0"));
        assertThat(seen.get("cluster/nodes/n2/version")).isEqualTo(seen.get("broker/version"));
        assertThat(seen.get("cluster/nodes/n2/uptime")).endsWith(" seconds");

        cluster.kill("n2");
        awaitSys(
                watcher,
                seen,
                Map.of(
                        "cluster/clients/connected", "4",
                        "cluster/nodes/n2/state", "",
                        "cluster/nodes/n2/uptime", "",
                        "cluster/nodes/live", "2",
                        "cluster/nodes/known", "3",
                        "cluster/shards/unowned", "0"));
        cluster.start("n2");
        awaitSys(
                watcher,
                seen,
                Map.of(
                        "cluster/nodes/n2/state", "live",
                        "cluster/nodes/n2/clients/connected", "0",
                        "cluster/nodes/live", "3"));
        awaitWhole();
    }

    /** Reads what comes until all of this was said last; topics are given without their beginning. */
    private static void awaitSys(TestClient watcher, Map<String, String> seen, Map<String, String> wanted)
            throws IOException {
        while (!seen.entrySet().containsAll(wanted.entrySet())) {
            Publish publish = watcher.await(Publish.class, PATIENCE);
            seen.put(publish.topic().substring("$SYS/".length()), new String(publish.payload(), UTF_8));
        }
    }

    /**
     * Kafka ends by itself then. What comes meanwhile is not acknowledged, nobody is sent away, and all goes on by
     * itself.
     */
    @Test
    void holdsClientsAndSaysWhyWhenKafkaHasNoRoom() throws Exception {
        TestClient subscriber = connect("n2", "subscriber", LONG);
        subscribe(subscriber, "full/#");
        TestClient publisher = connect("n1", "publisher", 0);
        TestClient idle = connect("n1", "idle", 0);
        String large = "m".repeat(20_000); // or the subscriber's queue is full before the disk
        cluster.kafka().fillDisk(1);
        int acknowledged = 0;
        int sent = 0;
        while (cluster.kafka().isRunning(1)) {
            if (sent - acknowledged < 100) {
                publisher.send(publication("full/" + sent++, large, false));
            }
            if (publisher.poll(Duration.ofMillis(5)) instanceof Puback puback) {
                assertThat(puback.reason()).isEqualTo(ReasonCode.SUCCESS);
                acknowledged++;
            }
        }
        await().atMost(PATIENCE).until(() -> readiness("n1").contains("Kafka does not answer"));
        publisher.send(publication("full/" + sent++, large, false));
        idle.send(new Pingreq());
        idle.await(Pingresp.class, PATIENCE);
        while (publisher.poll(Duration.ofMillis(50)) instanceof Puback) {
            acknowledged++; // what Kafka had taken
        }
        assertThat(acknowledged).isLessThan(sent);
        cluster.kafka().restart(1);
        for (int i = 0; i < sent; i++) {
            assertThat(text(receive(subscriber))).isEqualTo("full/" + i + " " + large);
        }
        for (; acknowledged < sent; acknowledged++) {
            publisher.await(Puback.class, PATIENCE);
        }
        awaitWhole();
    }

    /** An alert on a meter that is not there never fires. */
    @Test
    void alertsAreOnMetersThatNodesHave() throws Exception {
        connect("n1", "app-behind", LONG);
        Set<String> named = Pattern.compile("\\btributary_[a-z0-9_]+")
                .matcher(Files.readString(Path.of("..", "docs", "prometheus", "alerts.yaml")))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toSet());
        assertThat(named).hasSizeGreaterThan(25);
        // There only with TLS, authenticators and topics of back-ends, whose tests look for them.
        named.removeAll(Set.of(
                "tributary_tls_certificate_expiry_seconds",
                "tributary_tls_reloads_total",
                "tributary_authentications_total",
                "tributary_ingest_healthy"));
        await().atMost(PATIENCE).untilAsserted(() -> {
            Set<String> shown = new HashSet<>();
            for (String node : cluster.names()) {
                http(node, "/actuator/prometheus").lines().forEach(line -> shown.add(line.split("[{ ]", 2)[0]));
            }
            assertThat(shown).containsAll(named);
        });
    }

    private static String readiness(String node) throws IOException, InterruptedException {
        return http(node, "/actuator/health/readiness");
    }

    private static String http(String node, String path) throws IOException, InterruptedException {
        URI address = URI.create("http://127.0.0.1:" + cluster.node(node).httpPort() + path);
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private static void start(String node) {
        cluster.start(node);
        awaitWhole();
    }

    private static void awaitWhole() {
        new Probe(cluster).await(List.copyOf(cluster.nodes()), PATIENCE);
    }

    private TestClient connect(String node, String clientId, long expirySeconds) throws IOException {
        return connect(node, clientId, expirySeconds, null);
    }

    private TestClient connect(String node, String clientId, long expirySeconds, @Nullable Will will)
            throws IOException {
        TestClient client = open(node);
        client.connect(packet(clientId, expirySeconds, will), PATIENCE);
        return client;
    }

    private TestClient open(String node) throws IOException {
        TestClient client = TestClient.open(cluster.node(node).tcpPort(), VERSION);
        clients.add(client);
        return client;
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

    private Will will(String topic) {
        Message message = new Message(
                name + "/" + topic,
                "gone".getBytes(UTF_8),
                QoS.AT_LEAST_ONCE,
                false,
                PublishProperties.NONE,
                Message.NEVER,
                "");
        return new Will(message, 0, MqttPacket.ABSENT);
    }

    private void subscribe(TestClient client, String filter) throws IOException {
        subscribe(client, new Subscription(name + "/" + filter, QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND));
    }

    private static void subscribe(TestClient client, Subscription subscription) throws IOException {
        client.send(new Subscribe(1, List.of(subscription), 0, List.of()));
        assertThat(client.await(Suback.class, PATIENCE).reasons().getFirst().code())
                .isEqualTo(subscription.maximumQos().code());
    }

    private void publish(TestClient client, String topic, String text, boolean retain) throws IOException {
        client.send(publication(topic, text, retain));
        assertThat(client.await(Puback.class, PATIENCE).reason().isError()).isFalse();
    }

    private Publish publication(String topic, String text, boolean retain) {
        return TestTalk.publication(name + "/" + topic, text, QoS.AT_LEAST_ONCE, retain, 1);
    }

    /** The next message, which is acknowledged. */
    private static Publish receive(TestClient client) throws IOException {
        Publish publish = client.await(Publish.class, PATIENCE);
        client.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
        return publish;
    }

    private String text(Publish publish) {
        return publish.topic().substring(name.length() + 1) + " " + new String(publish.payload(), UTF_8);
    }
}
