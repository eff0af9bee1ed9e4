package io.tributary.server.blackbox;

import static io.tributary.broker.blackbox.TestTalk.publish;
import static io.tributary.broker.blackbox.TestTalk.subscribe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.server.blackbox.security.SecurityApi;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An administrator lists, looks at and ends sessions, by the API and by the command. */
@ExtendWith(BrokerExtension.class)
class SessionsApiTest {
    private static final String SESSIONS = "/api/v1/sessions";
    private static final long LONG = 3_600;

    private static BrokerProcess broker;
    private static SecurityApi api;
    private static Operator operator;

    @BeforeAll
    static void start() throws IOException {
        Path folder = Scratch.folder("sessions-api");
        broker = BrokerProcess.start(
                folder,
                List.of("-Xmx256m"),
                List.of(
                        "--tributary.applications.rules[0].client-id=app-*",
                        "--tributary.applications.rules[0].kind=application"));
        operator = new Operator(folder.resolve("data/admin.token"));
        api = new SecurityApi(
                broker.httpPort(), Files.readString(operator.tokenFile()).strip());
    }

    @AfterAll
    static void stop() {
        api.close();
        broker.close();
    }

    @Test
    void isListedShownAndEnded() throws IOException {
        try (TestClient meter = connect("meter/1");
                TestClient publisher = connect("meter-publisher", 0)) {
            subscribe(meter, "meters/#");
            meter.disconnect(-1);
            publish(publisher, "meters/1", "reading", false);
            String one = SESSIONS + "?clientId=meter%2F1";
            await().untilAsserted(() -> assertThat(get(one).body())
                    .contains(
                            "\"clientId\":\"meter/1\"",
                            "\"tenant\":null",
                            "\"kind\":\"device\"",
                            "\"subscriptionCount\":1",
                            "\"connected\":false",
                            "\"node\":null",
                            "\"awaySince\":\"2",
                            "\"expirySeconds\":3600",
                            "\"queuedMessages\":1",
                            "\"subscriptions\":[{\"filter\":\"meters/#\",\"qos\":1,\"noLocal\":false,"
                                    + "\"retainAsPublished\":false,\"subscriptionId\":null}]"));
            assertThat(get(SESSIONS + "?limit=1000").body()).contains("\"clientId\":\"meter/1\"");

            assertThat(api.send("DELETE", one, "").statusCode()).isEqualTo(204);
            assertThat(get(one).statusCode()).isEqualTo(404);
            assertThat(api.send("DELETE", one, "").statusCode()).isEqualTo(404);
            assertThat(get("/api/v1/audit").body())
                    .containsOnlyOnce("\"action\":\"session-end\",\"by\":\"admin\",\"clientId\":\"meter/1\"");
        }
    }

    @Test
    void aClientIsDisconnected() throws IOException {
        try (TestClient client = connect("client")) {
            subscribe(client, "t");
            assertThat(get(SESSIONS + "/client").body()).contains("\"connected\":true", "\"node\":\"tributary\"");
            assertThat(api.send("DELETE", SESSIONS + "/client", "").statusCode())
                    .isEqualTo(204);
            assertThat(client.awaitClose())
                    .isInstanceOfSatisfying(
                            Disconnect.class,
                            last -> assertThat(last.reason()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER));
        }
    }

    @Test
    void pagesLeadToTheNext() throws IOException {
        for (String name : List.of("page-1", "page-2", "page-3", "app-page")) {
            try (TestClient client = connect(name)) {
                subscribe(client, "pages");
            }
        }
        HttpResponse<String> first = get(SESSIONS + "?limit=2&after=page-&kind=device");
        assertThat(first.body()).contains("page-1", "page-2").doesNotContain("page-3");
        String next = SESSIONS + "?limit=2&kind=device&after=page-2";
        assertThat(first.body()).contains("\"next\":\"" + next + "\"");
        assertThat(get(next).body()).contains("page-3").doesNotContain("page-1", "page-2");
        assertThat(get(SESSIONS + "?kind=application").body())
                .contains("app-page", "\"next\":null")
                .doesNotContain("page-1", "queuedMessages");
        assertThat(get(SESSIONS + "?tenant=acme").body()).isEqualTo("{\"items\":[],\"next\":null}");
    }

    @Test
    void whatIsWrongIsSaid() {
        assertThat(get(SESSIONS + "?limit=0").statusCode()).isEqualTo(400);
        assertThat(get(SESSIONS + "?kind=cat").statusCode()).isEqualTo(400);
        assertThat(get(SESSIONS + "?tenant=a%2Fb").statusCode()).isEqualTo(400);
        assertThat(get(SESSIONS + "/nobody").statusCode()).isEqualTo(404);
        assertThat(get(SESSIONS + "/no/body").statusCode()).isEqualTo(404);
        assertThat(get("/api").statusCode()).isEqualTo(404);
        assertThat(get("/api/v1").statusCode()).isEqualTo(404);
        assertThat(get("/api/v2/sessions").statusCode()).isEqualTo(404);
        assertThat(api.send("DELETE", SESSIONS, "").statusCode()).isEqualTo(400);
        assertThat(api.send("PUT", SESSIONS + "/nobody", "").statusCode()).isEqualTo(405);
        assertThat(api.send("DELETE", SESSIONS + "/nobody", "", "Authorization", "Bearer wrong")
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void theCommandDoesTheSame() throws IOException {
        try (TestClient client = connect("command/1")) {
            subscribe(client, "commands/#");
        }
        try (TestClient client = connect("command/2")) {
            subscribe(client, "commands/#");
        }
        await().until(
                        () -> operator.session(broker, "show", "command/1").printed(),
                        printed -> printed.contains("away"));
        assertThat(operator.session(broker, "show", "command/1").printed())
                .contains("command/1: device, subscriptions: 1, away since 2", "messages: 0", "QoS 1  commands/#");
        Operator.Outcome list = operator.session(broker, "list", "--after=comma", "--limit=1");
        assertThat(list.exit()).isZero();
        assertThat(list.printed()).startsWith("command/1: device").contains("there are more: --after=command/1");
        Operator.Outcome end = operator.session(broker, "end", "command/1");
        assertThat(end.printed()).startsWith("command/1: its session has ended");
        assertThat(end.exit()).isZero();
        Operator.Outcome again = operator.session(broker, "end", "command/1");
        assertThat(again.exit()).isOne();
        assertThat(again.printed()).contains("this node knows no persistent session of command/1");
    }

    private static HttpResponse<String> get(String path) {
        return api.send("GET", path, "");
    }

    private static TestClient connect(String clientId) throws IOException {
        return connect(clientId, LONG);
    }

    private static TestClient connect(String clientId, long expirySeconds) throws IOException {
        return TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_5, clientId, expirySeconds);
    }
}
