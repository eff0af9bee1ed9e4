package io.tributary.server.blackbox.cluster;

import static io.tributary.broker.blackbox.TestTalk.publish;
import static io.tributary.broker.blackbox.TestTalk.subscribe;
import static io.tributary.broker.blackbox.TestTalk.take;
import static io.tributary.server.blackbox.cluster.TwoNodesTest.cluster;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.server.blackbox.security.SecurityApi;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Either node ends sessions, whichever owns their shards and has their clients. */
abstract class SessionsOfTwoNodes {
    private static final String SESSIONS = "/api/v1/sessions/";
    private static final long LONG = 3_600;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final List<TestClient> clients = new ArrayList<>();
    private SecurityApi first;
    private SecurityApi second;

    @BeforeEach
    void open() throws IOException {
        String token = Files.readString(cluster.tokenFile()).strip();
        first = new SecurityApi(cluster.node("n1").httpPort(), token);
        second = new SecurityApi(cluster.node("n2").httpPort(), token);
    }

    @AfterEach
    void close() {
        clients.forEach(TestClient::close);
        first.close();
        second.close();
    }

    /** Some of the shards are n1's, the others n2's. */
    @Test
    void aDeviceThatIsAwayIsEndedByEitherNode() throws IOException {
        TestClient publisher = connect("n1", "away-publisher", 0);
        for (int i = 0; i < 8; i++) {
            String name = "away-" + i;
            TestClient device = connect("n2", name, LONG);
            subscribe(device, "away/" + i);
            device.disconnect(-1);
            publish(publisher, "away/" + i, "m", false);
            SecurityApi asked = i % 2 == 0 ? first : second;
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(
                                    get(first, name).body() + get(second, name).body())
                            .containsOnlyOnce("\"queuedMessages\":1")
                            .containsOnlyOnce("\"connected\":null"));
            assertThat(asked.send("DELETE", SESSIONS + name, "").statusCode()).isEqualTo(204);
            await().atMost(PATIENCE)
                    .until(() -> get(first, name).statusCode() == 404
                            && get(second, name).statusCode() == 404);
            assertThat(asked.send("DELETE", SESSIONS + name, "").statusCode()).isEqualTo(404);
            TestClient again = TestClient.open(cluster.node("n1").tcpPort(), ProtocolVersion.MQTT_5);
            clients.add(again);
            Connack answer = again.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, name, 0), PATIENCE);
            assertThat(answer.sessionPresent()).isFalse();
        }
    }

    @Test
    void aClientOfTheOtherNodeIsDisconnected() throws IOException {
        for (SecurityApi asked : List.of(first, second)) {
            TestClient client = connect("n2", "kicked", LONG);
            subscribe(client, "kicked/#");
            assertThat(get(second, "kicked").body()).contains("\"connected\":true");
            assertThat(asked.send("DELETE", SESSIONS + "kicked", "").statusCode())
                    .isEqualTo(204);
            assertThat(client.awaitClose())
                    .isInstanceOfSatisfying(
                            Disconnect.class,
                            last -> assertThat(last.reason()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER));
            await().atMost(PATIENCE).until(() -> get(first, "kicked").statusCode() == 404);
        }
    }

    @Test
    void anApplicationThatComesBackHasNothingOfTheSessionThatEnded() throws IOException {
        TestClient application = connect("n1", "app-ended", LONG);
        subscribe(application, "plant/#");
        application.disconnect(-1);
        TestClient publisher = connect("n2", "plant-publisher", 0);
        publish(publisher, "plant/1", "lost", false);
        assertThat(cluster.applicationTopics()).contains(TestCluster.APPLICATION_TOPICS + "app-ended");
        assertThat(get(first, "app-ended").body()).contains("\"kind\":\"application\"");
        assertThat(second.send("DELETE", SESSIONS + "app-ended", "").statusCode())
                .isEqualTo(204);
        TestClient again = TestClient.open(cluster.node("n2").tcpPort(), ProtocolVersion.MQTT_5);
        clients.add(again);
        assertThat(again.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, "app-ended", LONG), PATIENCE)
                        .sessionPresent())
                .isFalse();
        subscribe(again, "plant/#");
        publish(publisher, "plant/2", "kept", false);
        assertThat(take(again)).isEqualTo("plant/2: kept");
    }

    private static HttpResponse<String> get(SecurityApi node, String clientId) {
        return node.send("GET", SESSIONS + clientId, "");
    }

    private TestClient connect(String node, String clientId, long expirySeconds) throws IOException {
        TestClient client = TestClient.open(cluster.node(node).tcpPort(), ProtocolVersion.MQTT_5);
        clients.add(client);
        client.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, clientId, expirySeconds), PATIENCE);
        return client;
    }
}
