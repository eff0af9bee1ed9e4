package io.tributary.server.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.Operator;
import io.tributary.server.blackbox.Operator.Outcome;
import io.tributary.server.blackbox.security.SecurityApi;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Clients and shards of a node go to the other nodes before it is stopped, connections spread over all of them, and
 * what a client has sent to one node before it closed its connection counts before what it says to the next one.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class MovesBetweenNodesTest {
    private static final int ROUNDS = 200;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Pattern OWNED = Pattern.compile("\"ownedShards\":(\\d+)");
    private static final Pattern CONNECTIONS = Pattern.compile("\"connections\":(\\d+)");

    private static TestCluster cluster;
    private static Operator operator;

    @BeforeAll
    static void start() {
        cluster = TestCluster.in(Scratch.folder("moves")).start();
        operator = new Operator(cluster.tokenFile());
        cluster.awaitShardsSpread(PATIENCE);
        new Probe(cluster).await(List.copyOf(cluster.nodes()), PATIENCE);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** Nobody notices that the process ends then: it is declared dead by nobody. */
    @Test
    void othersOwnAllShardsWhenItIsSafeToStop() throws IOException {
        BrokerProcess drained = cluster.node("n3");
        try (Crowd _ = new Crowd(30, List.of("n3", "n1", "n2"))) {
            await().atMost(PATIENCE).until(() -> connections("n3") >= 30);
            Outcome outcome = operator.drain(drained, "--node=n3", "--serve-for=1s", "--rate=50", "--wait");
            assertThat(outcome.exit()).as(outcome.printed()).isZero();
            assertThat(outcome.printed()).contains("n3: safe to stop");
            assertThat(owned("n1") + owned("n2")).isEqualTo(cluster.shards());
            cluster.kill("n3");
            await().atMost(PATIENCE).until(() -> connections("n1") + connections("n2") >= 30);
            new Probe(cluster).await(cluster.without(List.of("n3")), PATIENCE);
        }
        for (String other : List.of("n1", "n2")) {
            String log = Files.readString(cluster.node(other).log());
            assertThat(log).doesNotContain("is declared dead").containsPattern("node n3#\\d+ is gone");
        }
        cluster.start("n3");
        cluster.awaitShardsSpread(PATIENCE);
    }

    /** What clients of its shards at other nodes wait for is not to share the processors with its own end. */
    @Tag("long")
    @Test
    void othersOwnAllShardsBeforeClientsAreSentAwayWhenANodeStops() throws IOException {
        CompletableFuture<Void> stopped;
        try (TestClient client =
                TestClient.connect(cluster.node("n3").tcpPort(), ProtocolVersion.MQTT_5, "stays-to-the-end", 0)) {
            stopped = CompletableFuture.runAsync(() -> cluster.stop("n3"));
            client.expect(Disconnect.class);
            assertThat(owned("n1") + owned("n2")).isEqualTo(cluster.shards());
        }
        stopped.join();
        cluster.start("n3");
        cluster.awaitShardsSpread(PATIENCE);
    }

    @Tag("long")
    @Test
    void nodeServesAgainWhenTheDrainIsTakenBack() throws IOException {
        BrokerProcess node = cluster.node("n2");
        assertThat(operator.drain(node, "--node=n2", "--wait").exit()).isZero();
        assertThat(operator.drain(node, "--node=n2", "--cancel").exit()).isZero();
        await().atMost(PATIENCE)
                .until(() -> get(node, "/actuator/health/readiness").contains("\"status\":\"UP\""));
        cluster.awaitShardsSpread(PATIENCE);
        new Probe(cluster).await(List.copyOf(cluster.nodes()), PATIENCE);
    }

    /** Each node that has too many decides for itself, whichever was asked. */
    @Test
    void connectionsAreSpreadWhenOneNodeHasThemAll() throws IOException {
        try (Crowd _ = new Crowd(60, List.of("n1", "n1", "n2", "n3"))) {
            await().atMost(PATIENCE).until(() -> connections("n1") >= 60);
            Outcome cutShort = operator.rebalance(cluster.node("n2"), "--rate=1", "--for=1s", "--wait");
            assertThat(cutShort.exit()).isEqualTo(1);
            assertThat(cutShort.printed()).contains("may not be spread evenly: its time is over");
            Outcome outcome =
                    operator.rebalance(cluster.node("n2"), "--rate=20", "--tolerance=20%", "--for=2m", "--wait");
            assertThat(outcome.exit()).as(outcome.printed()).isZero();
            assertThat(outcome.printed()).contains("not rebalancing");
            for (String name : cluster.names()) {
                assertThat(connections(name)).as(name).isBetween(1L, 24L);
            }
            assertThat(get(cluster.node("n3"), "/api/v1/cluster/rebalance")).contains("\"mean\":20");
        }
    }

    @Tag("long")
    @Test
    void rebalancingEndsAtAllNodesWhenItIsTakenBack() throws IOException {
        try (Crowd _ = new Crowd(20, List.of("n2", "n2"))) {
            await().atMost(PATIENCE).until(() -> connections("n2") >= 20);
            assertThat(operator.rebalance(cluster.node("n1"), "--rate=1", "--tolerance=0")
                            .exit())
                    .isZero();
            await().atMost(PATIENCE).until(() -> isRebalancing("n2"));
            assertThat(operator.rebalance(cluster.node("n3"), "--cancel").exit())
                    .isZero();
            await().atMost(PATIENCE)
                    .until(() -> cluster.names().stream().noneMatch(MovesBetweenNodesTest::isRebalancing));
        }
        String audit = get(cluster.node("n1"), "/api/v1/audit");
        assertThat(audit).contains("\"action\":\"rebalance\"", "\"action\":\"rebalance-end\"");
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

    private static boolean isRebalancing(String node) {
        return get(cluster.node(node), "/api/v1/cluster/rebalance").contains("\"running\":true");
    }

    private static long owned(String node) {
        return number(OWNED, get(cluster.node(node), "/actuator/health/readiness"));
    }

    private static long connections(String node) {
        return number(CONNECTIONS, get(cluster.node(node), "/actuator/health/readiness"));
    }

    private static long number(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    private static String get(BrokerProcess node, String path) {
        try (SecurityApi api = new SecurityApi(
                node.httpPort(), Files.readString(cluster.tokenFile()).strip())) {
            return api.send("GET", path, "").body();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Clients that connect to the first of some nodes, and to the next one whenever a connection ends. */
    private static final class Crowd implements AutoCloseable {
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private final AtomicBoolean over = new AtomicBoolean();
        private final List<String> nodes;

        Crowd(int clients, List<String> nodes) {
            this.nodes = new ArrayList<>(nodes);
            for (int i = 0; i < clients; i++) {
                String id = "crowd-" + i;
                int first = i;
                threads.execute(() -> wander(id, first));
            }
        }

        private void wander(String id, int number) {
            int turn = 0;
            while (!over.get()) {
                // Not all of them to the same node when they leave the first.
                String node = turn == 0 ? nodes.getFirst() : nodes.get(1 + (number + turn) % (nodes.size() - 1));
                turn++;
                try (TestClient client =
                        TestClient.connect(cluster.node(node).tcpPort(), ProtocolVersion.MQTT_5, id, 60)) {
                    while (!over.get()) {
                        client.poll(Duration.ofMillis(200));
                    }
                } catch (IOException | AssertionError _) {
                    Thread.onSpinWait(); // refused, or sent away: the next node
                }
            }
        }

        @Override
        public void close() {
            over.set(true);
            threads.close();
        }
    }
}
