package io.tributary.server.blackbox.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The canaries of three nodes: they answer each other, notice what is gone, and show nowhere but in their meters. */
@Tag("long")
@ExtendWith(BrokerExtension.class)
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class CanaryClusterTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** A session's expiry after its node was declared dead, and more. */
    private static final Duration LONG_PATIENCE = Duration.ofMinutes(2);

    private static final String ROUND_TRIPS = "tributary_canary_round_trip_seconds_count";
    private static final String LOST = "tributary_canary_lost_total";
    private static final List<String> KINDS = List.of("transient", "persistent");

    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = TestCluster.in(Scratch.folder("canary")).canary().start();
        cluster.awaitShardsSpread(PATIENCE);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void messagesComeBackFromAllNodesThroughBothSessions() {
        for (BrokerProcess node : cluster.nodes()) {
            assertThat(readiness(node)).contains("\"status\":\"UP\"");
        }
        awaitMoreRounds(cluster.names());
    }

    @Test
    void nobodySeesOrCountsThem() throws Exception {
        List<TestClient> readers = new ArrayList<>();
        for (BrokerProcess node : cluster.nodes()) {
            for (String filter : List.of("#", "+/+/+/+", "canary/#", "/canary/#", "$share/g/#")) {
                TestClient reader = TestClient.connect(
                        node.tcpPort(), ProtocolVersion.MQTT_5, node.tcpPort() + filter.replaceAll("\\W", "x"), 0);
                TestTalk.subscribe(reader, filter);
                readers.add(reader);
            }
        }
        Map<String, Double> before = userCounts();
        awaitMoreRounds(cluster.names());
        for (TestClient reader : readers) {
            assertThat(reader.poll(Duration.ofMillis(10))).isNull();
        }
        assertThat(userCounts()).isEqualTo(before);
        for (BrokerProcess node : cluster.nodes()) {
            String metrics = get(node, "/actuator/prometheus");
            assertThat(value(metrics, "tributary_connections", "")).isEqualTo(5);
            assertThat(value(metrics, "tributary_sessions_persistent", "")).isZero();
            assertThat(value(metrics, "tributary_messages_queued", "")).isZero();
            assertThat(metrics.lines().filter(line -> line.contains("canary")))
                    .allMatch(line -> line.matches("(# (HELP|TYPE) )?tributary_canary_.*|# HELP tributary_ready .*"));
            assertThat(readiness(node)).contains("\"persistentSessions\":0", "\"queuedMessages\":0");
        }
        readers.forEach(TestClient::close);
    }

    @Test
    void sysTopicsDoNotCountThem() throws IOException {
        Map<String, String> figures = new HashMap<>();
        try (TestClient reader =
                TestClient.connect(cluster.node("n2").tcpPort(), ProtocolVersion.MQTT_5, "sys-reader", 0)) {
            TestTalk.subscribe(reader, "$SYS/#", QoS.AT_MOST_ONCE);
            await().atMost(PATIENCE).until(() -> {
                MqttPacket packet = reader.poll(Duration.ofSeconds(1));
                if (packet instanceof Publish publish) {
                    figures.put(publish.topic(), new String(publish.payload(), UTF_8));
                }
                return figures.containsKey("$SYS/broker/subscriptions/count") && packet == null;
            });
        }
        assertThat(figures).allSatisfy((topic, payload) -> {
            assertThat(topic).doesNotContain("canary");
            assertThat(payload).doesNotContain("canary");
        });
        assertThat(figures).containsEntry("$SYS/broker/clients/connected", "1");
    }

    /** Nobody has to be told which of the nodes it was: the others' canaries miss it, each for itself. */
    @Test
    void nodeThatIsKilledIsMissedAndItsSessionGoes() {
        double before = lostTo("n1", "others") + lostTo("n2", "others");
        cluster.kill("n3");
        await().atMost(PATIENCE).until(() -> lostTo("n1", "others") + lostTo("n2", "others") > before);
        assertThat(readiness(cluster.node("n1"))).contains("\"status\":\"UP\"");
        assertThat(readiness(cluster.node("n2"))).contains("\"status\":\"UP\"");
        assertThat(sessionsInRedis()).contains("persistent/n3");
        await().atMost(LONG_PATIENCE).until(() -> !sessionsInRedis().contains("persistent/n3"));
        double afterwards = lostTo("n1", "others") + lostTo("n2", "others");
        awaitMoreRounds(List.of("n1", "n2"));
        assertThat(lostTo("n1", "others") + lostTo("n2", "others"))
                .as("a node that is declared dead is asked no more")
                .isEqualTo(afterwards);
        cluster.start("n3");
        assertThat(readiness(cluster.node("n3"))).contains("\"status\":\"UP\"");
        cluster.awaitShardsSpread(PATIENCE);
        awaitMoreRounds(cluster.names());
    }

    @Test
    void nodeWithoutOneIsNotWaitedForAndLosesNothing() {
        cluster.stop("n1");
        cluster.node("n1").environment(Map.of("TRIBUTARY_CANARY_INTERVAL", "0s"));
        cluster.start("n1");
        cluster.awaitShardsSpread(PATIENCE);
        double before = lostTo("n2", "others") + lostTo("n3", "others");
        cluster.stop("n2");
        cluster.start("n2");
        assertThat(readiness(cluster.node("n2"))).contains("\"status\":\"UP\"");
        cluster.awaitShardsSpread(PATIENCE);
        awaitMoreRounds(List.of("n2", "n3"));
        assertThat(trips("n1", "persistent", "self")).isZero();
        assertThat(lostTo("n2", "others") + lostTo("n3", "others")).isLessThanOrEqualTo(before);
        cluster.stop("n1");
        cluster.node("n1").environment(Map.of("TRIBUTARY_CANARY_INTERVAL", "1s"));
        cluster.start("n1");
        cluster.awaitShardsSpread(PATIENCE);
    }

    @Test
    void nodeThatStopsInOrderLeavesNothingBehind() {
        cluster.stop("n3");
        await().atMost(PATIENCE).until(() -> !sessionsInRedis().contains("persistent/n3"));
        try (KafkaRecords kafka = new KafkaRecords(cluster.kafka().bootstrapServers())) {
            await().atMost(PATIENCE).until(() -> !latestSubscriptions(kafka).contains("persistent/n3"));
        }
        cluster.start("n3");
        cluster.awaitShardsSpread(PATIENCE);
    }

    /** The keys of the topic of subscriptions whose latest record is no removal. */
    private static String latestSubscriptions(KafkaRecords kafka) {
        Map<String, byte[]> latest = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> each : kafka.records("tributary.subscriptions")) {
            latest.put(new String(each.key(), UTF_8), each.value());
        }
        latest.values().removeIf(value -> value == null);
        return latest.keySet().toString();
    }

    /** All that Redis keeps of sessions by name. */
    private static String sessionsInRedis() {
        StringBuilder all = new StringBuilder();
        for (int i = 1; i <= cluster.redis().size(); i++) {
            for (String key :
                    cluster.redis().call(i, "KEYS", "tributary:*").lines().toList()) {
                all.append(key).append('\n');
                if (key.endsWith(":heads")) {
                    all.append(cluster.redis().call(i, "HKEYS", key));
                }
            }
        }
        return all.toString();
    }

    /** The counters of what users do, of all nodes. */
    private static Map<String, Double> userCounts() {
        Map<String, Double> counts = new HashMap<>();
        for (String name : cluster.names()) {
            String metrics = get(cluster.node(name), "/actuator/prometheus");
            for (String counter : List.of(
                    "tributary_messages_received_total",
                    "tributary_messages_delivered_total",
                    "tributary_messages_dropped_total",
                    "tributary_messages_delivery_seconds_count",
                    "tributary_clients_connected_total",
                    "tributary_network_packets_total",
                    "tributary_subscriptions")) {
                counts.put(name + " " + counter, value(metrics, counter, ""));
            }
        }
        return counts;
    }

    private static void awaitMoreRounds(List<String> nodes) {
        Map<String, Double> before = new HashMap<>();
        nodes.forEach(node -> KINDS.forEach(kind ->
                List.of("self", "others").forEach(to -> before.put(node + kind + to, trips(node, kind, to)))));
        await().atMost(PATIENCE)
                .until(() -> nodes.stream()
                        .allMatch(node -> KINDS.stream()
                                .allMatch(kind -> List.of("self", "others").stream()
                                        .allMatch(to -> trips(node, kind, to)
                                                > before.getOrDefault(node + kind + to, 0.0) + 3))));
    }

    private static double trips(String node, String session, String to) {
        return value(
                get(cluster.node(node), "/actuator/prometheus"),
                ROUND_TRIPS,
                "session=\"%s\",to=\"%s\"".formatted(session, to));
    }

    private static double lostTo(String node, String to) {
        return value(get(cluster.node(node), "/actuator/prometheus"), LOST, "to=\"%s\"".formatted(to));
    }

    /** The sum of all of a meter's lines that have these tags. */
    private static double value(String metrics, String name, String tags) {
        Matcher line =
                Pattern.compile("(?m)^" + name + "(\\{([^}]*)\\})? (\\S+)$").matcher(metrics);
        double sum = 0;
        assertThat(line.find()).as(name).isTrue();
        line.reset();
        while (line.find()) {
            sum += line.group(1) == null || line.group(2).contains(tags) ? Double.parseDouble(line.group(3)) : 0;
        }
        return sum;
    }

    private static String readiness(BrokerProcess node) {
        return get(node, "/actuator/health/readiness");
    }

    private static String get(BrokerProcess node, String path) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.httpPort() + path))
                    .header(
                            "Authorization",
                            "Bearer " + Files.readString(cluster.tokenFile()).strip())
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
