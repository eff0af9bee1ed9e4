package io.tributary.server.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.localcluster.LocalKafka;
import io.tributary.localcluster.LocalRedis;
import io.tributary.server.blackbox.walk.Walk;
import io.tributary.server.blackbox.walk.Walk.Hop;
import io.tributary.server.blackbox.walk.WalkDocument;
import io.tributary.server.blackbox.walk.WalkedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The ways of docs/architecture.md that need other nodes are those that are taken. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClusterWalksTest {
    private static final String WILL = "walk/will";
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration LATE = Duration.ofSeconds(5);
    private static final int MOST_ATTEMPTS = 5;
    /** What says something of a connection by its number. */
    private static final Set<String> ANSWERS = Set.of("TakenOver", "AttachedTo", "Attached");

    private static final List<Hop> HOPS = List.of(
            new Hop("event loop of the client", "EntryBytes", "channelRead"),
            new Hop("event loop of the client", "SocketHandler", "channelRead"),
            new Hop("reader of the log", "ShardConsumer", "run"),
            new Hop("thread of the shard", "ShardThread", "run"),
            new Hop("link", "LinkChannel", "channelRead"),
            new Hop("link", "LinkInbound", "channelRead"),
            new Hop("event loop, last read", "ConnectionContext", "schedule"),
            new Hop("event loop, turn", "LoopMailbox", "handle"),
            new Hop("follower of the maps", "MapConsumer", "run"));

    @TempDir
    private Path folder;

    private LocalRedis redis;
    /** Owns the one shard. */
    private WalkedNode here;

    private WalkedNode there;
    /** Is alive when the other one is not, so that what is appended here is read before it is used. */
    private WalkedNode third;

    @BeforeEach
    void start() throws IOException {
        redis = LocalRedis.in(folder).start();
        Path data = Files.createDirectory(folder.resolve("walks-" + UUID.randomUUID()));
        here = WalkedNode.member("here", data, LocalKafka.shared().bootstrapServers(), redis.nodes());
        there = WalkedNode.member("there", data, LocalKafka.shared().bootstrapServers(), redis.nodes());
        third = WalkedNode.member("third", data, LocalKafka.shared().bootstrapServers(), redis.nodes());
        assertThat(here.ownsShards()).isTrue();
        assertThat(there.ownsShards()).isFalse();
    }

    @AfterEach
    void stop() {
        third.close();
        there.close();
        here.close();
        redis.close();
    }

    @Test
    void connectTakesTheWayThatIsDescribed() throws IOException {
        Map<String, Set<String>> described = unordered(WalkDocument.read("The CONNECT walk"));
        Map<String, Set<String>> way = takeOver("client 0", described);
        // A machine that stands still for 200 ms lets the owner wait no longer, and that is another way.
        for (int again = 1; !way.equals(described) && again < MOST_ATTEMPTS; again++) {
            way = takeOver("client " + again, described);
        }
        assertThat(way).isEqualTo(described);
    }

    private Map<String, Set<String>> takeOver(String client, Map<String, Set<String>> described) throws IOException {
        try (TestClient first = TestClient.connect(there.port(), ProtocolVersion.MQTT_5, client, 60)) {
            Walk walk = Walk.of(carried -> isOfTakeover(carried, client), HOPS);
            try (TestClient _ = TestClient.connect(here.port(), ProtocolVersion.MQTT_5, client, 60)) {
                assertThat(first.expect(Disconnect.class).reason()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
                return end(walk, described);
            }
        }
    }

    private static boolean isOfTakeover(Object carried, String client) {
        return carried instanceof String text
                ? text.contains(client)
                : ANSWERS.contains(carried.getClass().getSimpleName());
    }

    @Test
    void deathTakesTheWayThatIsDescribed() throws IOException {
        Map<String, Set<String>> described = unordered(WalkDocument.read("The walk of a node's death"));
        try (TestClient watcher = TestClient.connect(here.port(), ProtocolVersion.MQTT_5, "watcher", 0);
                TestClient dying = TestClient.open(there.port(), ProtocolVersion.MQTT_5)) {
            Subscription all = new Subscription("walk/#", QoS.AT_MOST_ONCE, false, false, RetainHandling.SEND);
            watcher.send(new Subscribe(1, List.of(all), 0, List.of()));
            watcher.expect(Suback.class);
            dying.connect(TestClient.connectPacket("dying", 60, WILL));
            Walk.freeze("there");
            Walk walk = Walk.of(ClusterWalksTest::isOfDeath, HOPS);
            assertThat(watcher.await(Publish.class, PATIENCE).topic()).isEqualTo(WILL);
            Map<String, Set<String>> way = end(walk, described);
            way.keySet().retainAll(described.keySet());
            assertThat(way).isEqualTo(described);
        } finally {
            Walk.thaw("there");
        }
    }

    private static boolean isOfDeath(Object carried) {
        return carried instanceof String text
                && (text.equals("there") || text.startsWith("there#") || text.contains(WILL));
    }

    /** What threads do behind the last packet that the test sees is waited for. */
    private static Map<String, Set<String>> end(Walk walk, Map<String, Set<String>> described) {
        try {
            Awaitility.await()
                    .atMost(LATE)
                    .until(() -> unordered(walk.soFar()).entrySet().containsAll(described.entrySet()));
        } catch (ConditionTimeoutException e) {
            return unordered(walk.end()); // which shows what is missing
        }
        return unordered(walk.end());
    }

    /** What one thread does twice, it may do in another order. */
    private static Map<String, Set<String>> unordered(Map<String, List<String>> way) {
        Map<String, Set<String>> unordered = new TreeMap<>();
        way.forEach((hop, classes) -> unordered.put(hop, new TreeSet<>(classes)));
        return unordered;
    }
}
