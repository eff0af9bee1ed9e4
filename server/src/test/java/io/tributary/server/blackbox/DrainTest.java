package io.tributary.server.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.server.blackbox.Operator.Outcome;
import io.tributary.server.blackbox.security.SecurityApi;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A broker alone is emptied before it is stopped. */
@ExtendWith(BrokerExtension.class)
class DrainTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String DRAIN = "/api/v1/node/drain";
    private static final String HERE = "\"node\":\"tributary\"";
    private static final long LONG = 3_600;
    private static final Subscription A = new Subscription("a", QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND);

    private BrokerProcess broker;
    private SecurityApi api;
    private Operator operator;

    @BeforeEach
    void start() throws IOException {
        Path folder = Scratch.folder("drain");
        broker = BrokerProcess.start(
                folder, List.of("-Xmx256m"), List.of("--tributary.stop.server-reference=there:1883"));
        operator = new Operator(folder.resolve("data/admin.token"));
        api = new SecurityApi(
                broker.httpPort(), Files.readString(operator.tokenFile()).strip());
    }

    @AfterEach
    void stop() {
        api.close();
        broker.close();
    }

    @Test
    void clientsAreServedWhenTheNodeIsNotReadyAnyMore() throws IOException {
        try (TestClient client = connect(ProtocolVersion.MQTT_5, "served")) {
            assertThat(readiness().statusCode()).isEqualTo(200);
            assertThat(drain("\"serveForSeconds\":600").body()).contains("\"phase\":\"announced\"", "\"clients\":1");
            HttpResponse<String> readiness = readiness();
            assertThat(readiness.statusCode()).isEqualTo(503);
            assertThat(readiness.body()).contains("the node is drained", "announced");
            client.send(publish());
            client.expect(Puback.class);
            try (TestClient late = connect(ProtocolVersion.MQTT_5, "late")) {
                late.send(publish());
                late.expect(Puback.class);
            }
            assertThat(metric("tributary_drain_phase")).isEqualTo(1);
            await().atMost(PATIENCE).until(() -> metric("tributary_ready") == 0); // which is looked at once a second
        }
    }

    @Test
    void aSecondRequestLeavesWhatItDoesNotSay() {
        assertThat(drain("\"serveForSeconds\":600,\"rate\":7").body()).contains("\"serveForSeconds\":600,\"rate\":7");
        assertThat(drain("\"rate\":8").body())
                .contains("\"phase\":\"announced\"", "\"serveForSeconds\":600,\"rate\":8");
        assertThat(operator.drainHere(broker).exit()).isZero();
        assertThat(api.send("GET", DRAIN, "").body())
                .contains("\"phase\":\"announced\"", "\"serveForSeconds\":600,\"rate\":8");
        assertThat(drain("\"serveForSeconds\":900").body()).contains("\"serveForSeconds\":900,\"rate\":8");
    }

    @Test
    void clientsAreSentAwayAtTheRateAndNewOnesAreRefused() throws IOException {
        List<TestClient> others = new ArrayList<>();
        try (TestClient first = connect(ProtocolVersion.MQTT_5, "first");
                TestClient second = connect(ProtocolVersion.MQTT_5, "second");
                TestClient third = connect(ProtocolVersion.MQTT_3_1_1, "third")) {
            for (int i = 0; i < 50; i++) {
                others.add(connect(ProtocolVersion.MQTT_5, "other-" + i));
            }
            assertThat(drain("\"rate\":1").statusCode()).isEqualTo(200);
            await().atMost(PATIENCE).until(() -> sentAway() > 0);
            assertThat(sentAway()).isLessThan(3 + 50);
            assertThat(refusal(ProtocolVersion.MQTT_5)).isEqualTo(ReasonCode.USE_ANOTHER_SERVER);
            assertThat(refusal(ProtocolVersion.MQTT_3_1_1)).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
            assertThat(drain("\"rate\":0").statusCode()).isEqualTo(200);
            for (TestClient client : List.of(first, second)) {
                assertThat(client.awaitClose()).isInstanceOfSatisfying(Disconnect.class, farewell -> {
                    assertThat(farewell.reason()).isEqualTo(ReasonCode.USE_ANOTHER_SERVER);
                    assertThat(farewell.serverReference()).isEqualTo("there:1883");
                });
            }
            assertThat(third.awaitClose()).isNull();
        } finally {
            others.forEach(TestClient::close);
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(api.send("GET", DRAIN, "").body())
                        .contains("\"phase\":\"safe\"", "\"safeToStop\":true"));
        assertThat(broker.stop()).isZero();
    }

    @Test
    void sessionsAndTheirMessagesAreThereWhenTheDrainIsTakenBackOrTheProcessIsKilled() throws IOException {
        try (TestClient client = connect(ProtocolVersion.MQTT_5, "kept")) {
            client.send(new Subscribe(1, List.of(A), 0, List.of()));
            client.expect(Suback.class);
            client.disconnect(-1);
        }
        try (TestClient client = connect(ProtocolVersion.MQTT_5, "publisher")) {
            client.send(publish());
            client.expect(Puback.class);
            Outcome drained = operator.drainHere(broker, "--serve-for=1s", "--rate=100", "--wait");
            assertThat(drained.exit()).as(drained.printed()).isZero();
            assertThat(drained.printed()).contains("tributary: safe to stop");
        }
        assertThat(operator.drain(broker, "--cancel").printed()).contains("is not drained");
        await().atMost(PATIENCE).until(() -> readiness().statusCode() == 200);
        try (TestClient client = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5)) {
            assertThat(client.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, "kept", LONG))
                            .sessionPresent())
                    .isTrue();
            client.expect(Publish.class);
        }
        assertThat(operator.drain(broker, "--wait").exit()).isZero();
        broker.kill();
        broker.start();
        try (TestClient client = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5)) {
            assertThat(client.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, "kept", LONG))
                            .sessionPresent())
                    .isTrue();
            assertThat(client.expect(Publish.class).dup()).isTrue();
        }
    }

    @Test
    void drainIsTakenBackWhileClientsAreServed() throws IOException {
        try (TestClient client = connect(ProtocolVersion.MQTT_5, "stays")) {
            drain("\"serveForSeconds\":600");
            assertThat(api.send("DELETE", DRAIN + "?node=tributary", "").body()).contains("\"phase\":\"serving\"");
            assertThat(readiness().statusCode()).isEqualTo(200);
            client.send(publish());
            client.expect(Puback.class);
        }
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(api.send("GET", "/api/v1/audit", "").body())
                                .contains("\"action\":\"drain\"", "\"action\":\"undrain\"", "\"by\":\"admin\""));
    }

    @Test
    void requestIsRefusedWhenItIsNotForThisNode() {
        assertThat(api.send("POST", DRAIN, "{\"node\":\"other\"}"))
                .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(409))
                .satisfies(answer -> assertThat(answer.body()).contains("this is the node tributary, not other"));
        assertThat(api.send("POST", DRAIN, "{}").body()).contains("node is missing");
        assertThat(api.send("DELETE", DRAIN, "").statusCode()).isEqualTo(400);
        assertThat(drain("\"rate\":-1").body()).contains("rate must be 0 to 1000000");
        assertThat(drain("\"serveForSeconds\":3601").body()).contains("serveForSeconds must be 0 to 3600");
        assertThat(drain("\"pace\":1").body()).contains("pace is unknown");
        assertThat(api.send("POST", DRAIN, "{}", "Authorization", "Bearer no").statusCode())
                .isEqualTo(401);
        assertThat(api.send("PUT", DRAIN, "{}").statusCode()).isEqualTo(405);
        Outcome other = operator.drain(broker, "--node=other");
        assertThat(other.exit()).isEqualTo(1);
        assertThat(other.printed()).isEqualToIgnoringNewLines("tributary: this is the node tributary, not other");
        assertThat(operator.drain(broker, "--serve-for=soon").exit()).isEqualTo(2);
        assertThat(operator.drain(broker, "--serve-for=150").printed())
                .contains("--serve-for needs a time such as 150s or 5m, not '150'");
        assertThat(operator.drain(broker, "--status").printed()).contains("is not drained");
        assertThat(operator.rebalance(broker).printed()).contains("nothing to rebalance: this broker runs alone");
    }

    private HttpResponse<String> drain(String fields) {
        return api.send("POST", DRAIN, "{" + HERE + "," + fields + "}");
    }

    private HttpResponse<String> readiness() {
        return api.send("GET", "/actuator/health/readiness", "");
    }

    private double sentAway() {
        return metric("tributary_clients_sent_away_total{cause=\"drain\"");
    }

    /** The value of the first line that begins so. */
    private double metric(String begin) {
        return api.send("GET", "/actuator/prometheus", "")
                .body()
                .lines()
                .filter(line -> line.startsWith(begin))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .findFirst()
                .orElse(0);
    }

    private ReasonCode refusal(ProtocolVersion version) throws IOException {
        try (TestClient client = TestClient.open(broker.tcpPort(), version)) {
            client.send(TestClient.connectPacket(version, "refused", 0));
            return client.expect(Connack.class).reason();
        }
    }

    private TestClient connect(ProtocolVersion version, String clientId) throws IOException {
        return TestClient.connect(broker.tcpPort(), version, clientId, LONG);
    }

    private static Publish publish() {
        return TestTalk.publication("a", "", QoS.AT_LEAST_ONCE, false, 1);
    }
}
