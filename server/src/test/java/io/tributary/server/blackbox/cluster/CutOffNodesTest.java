package io.tributary.server.blackbox.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.Will;
import io.tributary.server.blackbox.BrokerExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A node that alone cannot reach something lets go what it cannot serve, and takes its part again when it can. */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class CutOffNodesTest {
    private static final ProtocolVersion VERSION = ProtocolVersion.MQTT_5;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** A few times as long as a node may be silent. */
    private static final Duration LONG_CUT = Duration.ofSeconds(14);

    private static TestCluster cluster;
    private static Probe probe;

    private final List<TestClient> clients = new ArrayList<>();

    @BeforeAll
    static void startCluster() {
        cluster = TestCluster.in(Scratch.folder("cut-off"))
                .waysOfTheirOwn()
                .clocks()
                .start();
        probe = new Probe(cluster);
        cluster.awaitShardsSpread(PATIENCE);
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @AfterEach
    void healAll() {
        clients.forEach(TestClient::close);
        cluster.names().forEach(node -> cluster.ways(node).heal());
        cluster.names().forEach(node -> awaitReadiness(node, "\"status\":\"UP\""));
        probe.await(List.copyOf(cluster.nodes()), PATIENCE);
        cluster.awaitShardsSpread(PATIENCE);
    }

    @Test
    void ownsNothingWhenItAloneCannotReachRedis() throws IOException {
        TestClient client = connect("n3", "without-redis", null);
        cluster.ways("n3").cutRedis();
        awaitReadiness("n3", "\"ownedShards\":0");
        awaitReadiness("n3", "\"status\":\"DOWN\"");
        awaitReadiness("n3", "Redis");
        awaitReadiness("n1", "\"unownedShards\":0");
        probe.await(List.copyOf(cluster.nodes()), PATIENCE);
        assertThat(client.poll(Duration.ZERO))
                .as("it is served by the others' shards")
                .isNull();
    }

    /** So nobody's will is published while its client is connected. */
    @Test
    void sendsItsClientsAwayBeforeTheirWillsWhenItAloneCannotReachKafka() throws IOException {
        TestClient watcher = connect("n1", "watcher", null);
        subscribe(watcher, "wills/without-kafka");
        TestClient client = connect("n3", "without-kafka", "wills/without-kafka");
        cluster.ways("n3").cutKafka();
        CompletableFuture<Long> published =
                CompletableFuture.supplyAsync(() -> whenComes(watcher, Publish.class), Thread::startVirtualThread);
        long sentAway = whenComes(client, Disconnect.class);
        assertThat(published.join())
                .as("a will before its client was sent away")
                .isGreaterThan(sentAway);
        awaitReadiness("n3", "\"status\":\"DOWN\"");
        connect("n2", "without-kafka", null);
        probe.await(cluster.without(List.of("n3")), PATIENCE);
    }

    @Tag("long")
    @Test
    void keepsItsClientsWhenNobodyCanReachKafka() throws IOException, InterruptedException {
        TestClient watcher = connect("n1", "watcher", null);
        subscribe(watcher, "wills/patient");
        TestClient client = connect("n3", "patient", "wills/patient");
        cluster.names().forEach(node -> cluster.ways(node).cutKafka());
        assertThat(watcher.poll(LONG_CUT)).isNull();
        cluster.names().forEach(node -> cluster.ways(node).heal());
        probe.await(List.copyOf(cluster.nodes()), PATIENCE);
        assertThat(watcher.poll(Duration.ZERO)).isNull();
        assertThat(client.poll(Duration.ZERO)).isNull();
    }

    @Tag("long")
    @Test
    void oneOfTwoLetsGoWhenTheyCannotReachEachOther() throws IOException {
        TestClient client = connect("n2", "without-link", null);
        cluster.ways("n2").cutLinks();
        assertThat(client.awaitClose()).isInstanceOf(Disconnect.class);
        awaitReadiness("n2", "cannot reach n1");
        awaitReadiness("n1", "\"unownedShards\":0");
        probe.await(cluster.without(List.of("n2")), PATIENCE);
        // It lets go, is gone for a moment or two, joins again, cannot serve, and so on; the log keeps what was.
        await("n2 has tried to join again")
                .atMost(PATIENCE)
                .until(() -> Files.readString(cluster.node("n2").log()).contains("this node cannot begin anew"));
        await("n2 serves nobody")
                .during(Duration.ofSeconds(5))
                .atMost(PATIENCE)
                .until(() -> readiness("n2").contains("DOWN") && readiness("n1").contains("\"unownedShards\":0"));
    }

    /**
     * Until its clock is where it was, Kafka's clients would keep it from hearing that shards move, and the others
     * would wait for it.
     */
    @Tag("long")
    @Test
    void beginsAnewWhenItsClockWasSetBack() throws IOException {
        assumeThat(cluster.hasClocks()).as("a C compiler").isTrue();
        TestClient client = connect("n3", "early", null);
        cluster.clock("n3").setOff(Duration.ofMinutes(-55));
        try {
            assertThat(client.awaitClose()).isInstanceOf(Disconnect.class);
            awaitReadiness("n3", "\"status\":\"UP\"");
            cluster.awaitShardsSpread(PATIENCE);
            cluster.stop("n2");
            awaitReadiness("n1", "\"nodes\":2");
            awaitReadiness("n1", "\"unownedShards\":0");
            probe.await(cluster.without(List.of("n2")), PATIENCE);
        } finally {
            cluster.clock("n3").setOff(Duration.ZERO);
            cluster.start("n2");
        }
    }

    /** Waits for a packet, and gives the time of {@link System#nanoTime} when it came. */
    private static long whenComes(TestClient client, Class<? extends MqttPacket> type) {
        try {
            client.await(type, PATIENCE);
            return System.nanoTime();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private TestClient connect(String node, String clientId, @Nullable String willTopic) throws IOException {
        TestClient client = TestClient.open(cluster.node(node).tcpPort(), VERSION);
        clients.add(client);
        Will will = willTopic == null ? null : will(willTopic);
        Connect connect = new Connect(VERSION, true, 0, clientId, will, null, null, ConnectProperties.defaults(0));
        client.connect(connect, PATIENCE);
        return client;
    }

    private static Will will(String topic) {
        Message message = new Message(
                topic, "gone".getBytes(UTF_8), QoS.AT_LEAST_ONCE, false, PublishProperties.NONE, Message.NEVER, "");
        return new Will(message, 0, MqttPacket.ABSENT);
    }

    private static void subscribe(TestClient client, String filter) throws IOException {
        Subscription subscription =
                new Subscription(filter, QoS.AT_MOST_ONCE, false, false, RetainHandling.DO_NOT_SEND);
        client.send(new Subscribe(1, List.of(subscription), 0, List.of()));
        assertThat(client.await(Suback.class, PATIENCE).reasons().getFirst().isError())
                .isFalse();
    }

    private static void awaitReadiness(String node, String words) {
        await(node + " says " + words)
                .atMost(PATIENCE)
                .until(() -> readiness(node).contains(words));
    }

    private static String readiness(String node) throws IOException, InterruptedException {
        URI health = URI.create("http://127.0.0.1:" + cluster.node(node).httpPort() + "/actuator/health/readiness");
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(health).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
