package io.tributary.server.blackbox.cluster;

import static io.tributary.broker.blackbox.TestTalk.subscribe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.security.SecurityApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The rules of the configuration are changed at one node after the other. */
@Tag("long")
@ExtendWith(BrokerExtension.class)
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class RollingRulesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** Rules are looked at each second: whoever would take something has done so by then. */
    private static final Duration TURNS = Duration.ofSeconds(5);

    /** So many that each node owns the shards of some. */
    private static final int CLIENTS = 8;

    private static final long FOR_LONG = 3_600;

    private Path settings;
    private TestCluster cluster;

    @BeforeEach
    void start() throws IOException {
        Path folder = Scratch.folder("rolling-rules");
        Files.createDirectories(folder);
        settings = folder.resolve("tributary.yaml");
        allow("news/#", "old/#");
        cluster = TestCluster.in(folder)
                .nodes(2)
                .setting("--spring.config.additional-location=file:" + folder + "/")
                .start();
        cluster.awaitShardsSpread(PATIENCE);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    /** What the old rules alone allow is taken when all nodes have the new ones, and what these alone allow never. */
    @Test
    void noNodeTakesWhatAnotherOneAllowsUntilAllHaveTheSameRules() throws IOException {
        for (int i = 0; i < CLIENTS; i++) {
            leave("n1", "before-" + i, "old/#");
        }
        allow("news/#", "extra/#");
        startAgain("n2");
        for (int i = 0; i < CLIENTS; i++) {
            leave("n2", "after-" + i, "extra/#");
        }
        try (TestClient writer = connect("n2", "writer");
                TestClient here = connect("n2", "here");
                TestClient there = connect("n2", "there")) {
            assertThat(subscribe(here, "extra/#")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            assertThat(subscribe(there, "extra/#")).isEqualTo(ReasonCode.GRANTED_QOS_1);
            try (TestClient moved = connect("n1", "there")) {
                await().during(TURNS).atMost(PATIENCE).until(() -> areSubscribed(2 * CLIENTS + 2));
                assertThat(subscribe(moved, "extra/1")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
                assertThat(publish(moved, "extra/1")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
                assertThat(publish(writer, "extra/1")).isEqualTo(ReasonCode.SUCCESS);
                assertThat(here.expect(Publish.class).topic()).isEqualTo("extra/1");
                assertThat(moved.poll(Duration.ofMillis(300))).isNull(); // n1 forbids it
            }
        }
        await().atMost(PATIENCE.multipliedBy(2))
                .until(() -> readiness("n1").contains("here than at n2,")
                        && readiness("n2").contains("here than at n1,"));

        startAgain("n1");
        await().atMost(PATIENCE).until(() -> areSubscribed(CLIENTS + 2));
        assertThat(readiness("n1") + readiness("n2")).doesNotContain("tributary.security.rules");
        try (TestClient after = connect("n1", "after-0")) {
            assertThat(after.expect(Publish.class).topic()).isEqualTo("extra/1");
        }
    }

    /** Has the nodes that are started from now on allow these topics alone, to everybody. */
    private void allow(String... topics) throws IOException {
        StringBuilder rules = new StringBuilder("tributary.security.rules:\n  - rules:\n");
        for (String topic : topics) {
            rules.append("      - {allow: all, topic: \"").append(topic).append("\"}\n");
        }
        Files.writeString(settings, rules);
    }

    private void startAgain(String node) {
        cluster.stop(node);
        cluster.start(node);
        cluster.awaitShardsSpread(PATIENCE);
    }

    /** Leaves a session behind that has a subscription. */
    private void leave(String node, String clientId, String filter) throws IOException {
        try (TestClient client = connect(node, clientId)) {
            assertThat(subscribe(client, filter)).isEqualTo(ReasonCode.GRANTED_QOS_1);
            client.disconnect(-1);
        }
    }

    /** Whether both nodes know so many subscriptions of persistent sessions, which there are alone. */
    private boolean areSubscribed(int count) {
        return cluster.names().stream().allMatch(node -> {
            Matcher value = Pattern.compile("(?m)^tributary_subscriptions(?:\\{[^}]*})? (\\S+)$")
                    .matcher(http(node, "/actuator/prometheus"));
            return value.find() && (int) Double.parseDouble(value.group(1)) == count;
        });
    }

    private String readiness(String node) {
        return http(node, "/actuator/health/readiness");
    }

    private String http(String node, String path) {
        try (SecurityApi http = new SecurityApi(cluster.node(node).httpPort(), "none")) {
            return http.send("GET", path, "").body();
        }
    }

    private static ReasonCode publish(TestClient client, String topic) throws IOException {
        client.send(TestTalk.packet(topic, "x", false, 0));
        return client.expect(Puback.class).reason();
    }

    private TestClient connect(String node, String clientId) throws IOException {
        TestClient client = TestClient.open(cluster.node(node).tcpPort(), ProtocolVersion.MQTT_5);
        client.connect(new Connect(
                ProtocolVersion.MQTT_5, false, 0, clientId, null, null, null, ConnectProperties.defaults(FOR_LONG)));
        return client;
    }
}
