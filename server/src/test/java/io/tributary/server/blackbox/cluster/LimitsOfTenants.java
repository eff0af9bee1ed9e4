package io.tributary.server.blackbox.cluster;

import static io.tributary.broker.blackbox.TestTalk.subscribe;
import static io.tributary.server.blackbox.cluster.SecuredClusterTest.cluster;
import static io.tributary.server.blackbox.cluster.SecuredClusterTest.token;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.server.blackbox.security.SecurityApi;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Limits of a tenant hold for all nodes together, each of which knows what the others have. */
abstract class LimitsOfTenants {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String PASSWORD = "correct-horse-battery";
    private static final long FOR_LONG = 3_600;

    private final List<TestClient> clients = new ArrayList<>();

    @BeforeAll
    static void createUsers() {
        for (String tenant : List.of("con", "ses", "sub")) {
            create("users/devices:" + tenant, "{\"password\":\"" + PASSWORD + "\",\"tenant\":\"" + tenant + "\"}");
        }
    }

    @Test
    void connectionIsRefusedAtEachNodeWhenAllTogetherHaveAsManyAsTheyMay() throws IOException {
        create("tenants/con", "{\"limits\":{\"connections\":3}}");
        connect("n1", "con", "1", 0);
        connect("n1", "con", "2", FOR_LONG);
        awaitUsed("n2", "con", "connections", 2);
        TestClient third = connect("n2", "con", "3", 0);
        awaitUsed("n1", "con", "connections", 3);
        assertThat(answer("n1", "con", "4", 0)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        assertThat(answer("n2", "con", "4", FOR_LONG)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        connect("n1", "con", "3", 0); // from the other node
        assertThat(third.expect(Disconnect.class).reason()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
        awaitUsed("n2", "con", "connections", 3);
        clients.forEach(TestClient::close);
        awaitUsed("n1", "con", "connections", 0);
        awaitUsed("n2", "con", "connections", 0);
        connect("n2", "con", "4", 0).close();
    }

    @Test
    void subscriptionIsRefusedWhenSessionsOfAllNodesHaveAsManyAsTheyMay() throws IOException {
        create("tenants/sub", "{\"limits\":{\"subscriptions\":3}}");
        TestClient away = connect("n1", "sub", "away", FOR_LONG);
        TestClient here = connect("n1", "sub", "here", 0);
        TestClient there = connect("n2", "sub", "there", 0);
        assertThat(subscribe(away, "a")).isEqualTo(ReasonCode.GRANTED_QOS_1);
        assertThat(subscribe(here, "a")).isEqualTo(ReasonCode.GRANTED_QOS_1);
        awaitUsed("n2", "sub", "subscriptions", 2);
        assertThat(subscribe(there, "a")).isEqualTo(ReasonCode.GRANTED_QOS_1);
        assertThat(subscribe(there, "b")).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        awaitUsed("n1", "sub", "subscriptions", 3);
        assertThat(subscribe(away, "b")).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        here.close();
        awaitUsed("n2", "sub", "subscriptions", 2);
        assertThat(subscribe(there, "b")).isEqualTo(ReasonCode.GRANTED_QOS_1);
        there.close();
        away.disconnect(0);
        awaitUsed("n1", "sub", "subscriptions", 0);
        awaitUsed("n2", "sub", "subscriptions", 0);
    }

    /** Sessions are counted by the owners of their shards, also by those who take them over. */
    @Tag("long")
    @Test
    void sessionIsRefusedWhereverItsShardIsAndWhoeverOwnsIt() throws IOException {
        create("tenants/ses", "{\"limits\":{\"sessions\":6}}");
        for (int i = 0; i < 6; i++) {
            connect(i % 2 == 0 ? "n1" : "n2", "ses", "s" + i, FOR_LONG).disconnect(-1);
            awaitUsed(i % 2 == 0 ? "n2" : "n1", "ses", "sessions", i + 1);
        }
        awaitUsed("n1", "ses", "sessions", 6);
        assertThat(answer("n1", "ses", "s6", FOR_LONG)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        assertThat(answer("n2", "ses", "s7", FOR_LONG)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        connect("n2", "ses", "s0", FOR_LONG).disconnect(-1);
        cluster.kill("n2");
        await().atMost(PATIENCE).until(() -> answers("n1", "s0") && used("n1", "ses", "sessions") == 6);
        assertThat(answer("n1", "ses", "s8", FOR_LONG)).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        for (int i = 0; i < 6; i++) {
            connect("n1", "ses", "s" + i, FOR_LONG).disconnect(0);
        }
        awaitUsed("n1", "ses", "sessions", 0);
        cluster.start("n2");
        cluster.awaitShardsSpread(PATIENCE);
        awaitUsed("n2", "ses", "sessions", 0);
    }

    /** Whether a node gives a client its session, which is away again then. */
    private boolean answers(String node, String clientId) throws IOException {
        try (TestClient client = open(node)) {
            client.send(packet("ses", clientId, FOR_LONG));
            boolean isAccepted = client.expect(Connack.class).reason() == ReasonCode.SUCCESS;
            if (isAccepted) {
                client.disconnect(-1);
            }
            return isAccepted;
        }
    }

    private TestClient connect(String node, String tenant, String clientId, long expiry) throws IOException {
        TestClient client = open(node);
        client.connect(packet(tenant, clientId, expiry));
        clients.add(client);
        return client;
    }

    private static ReasonCode answer(String node, String tenant, String clientId, long expiry) throws IOException {
        try (TestClient client = open(node)) {
            client.send(packet(tenant, clientId, expiry));
            return client.expect(Connack.class).reason();
        }
    }

    private static TestClient open(String node) throws IOException {
        return TestClient.open(cluster.node(node).tcpPort(), ProtocolVersion.MQTT_5);
    }

    private static Connect packet(String tenant, String clientId, long expiry) {
        return new Connect(
                ProtocolVersion.MQTT_5,
                false,
                0,
                clientId,
                null,
                tenant,
                PASSWORD.getBytes(UTF_8),
                ConnectProperties.defaults(expiry));
    }

    private static void create(String object, String body) {
        try (SecurityApi api = new SecurityApi(cluster.node("n1").httpPort(), token)) {
            await().atMost(PATIENCE).until(() -> api.create(object, body).statusCode() == 201);
        }
    }

    private static void awaitUsed(String node, String tenant, String what, long value) {
        await().atMost(PATIENCE).until(() -> used(node, tenant, what) == value);
    }

    private static long used(String node, String tenant, String what) {
        try (SecurityApi api = new SecurityApi(cluster.node(node).httpPort(), token)) {
            Matcher used = Pattern.compile("\"used\":\\{[^}]*\"" + what + "\":(\\d+)")
                    .matcher(api.get("tenants/" + tenant).body());
            return used.find() ? Long.parseLong(used.group(1)) : -1;
        }
    }
}
