package io.tributary.server.blackbox.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hivemq.client.mqtt.MqttClientState;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.exceptions.MqttClientStateException;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import io.tributary.broker.blackbox.Scratch;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A broker alone whose users come from its store, and an administrator who changes them while clients are there. */
@ExtendWith(BrokerExtension.class)
class SecurityApiTest {
    private static final String PASSWORD = "correct-horse-battery";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static BrokerProcess broker;
    private static Path folder;
    private static SecurityApi api;

    private final List<Mqtt5BlockingClient> clients = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        folder = Scratch.folder("security-api");
        broker = BrokerProcess.start(
                folder,
                List.of("-Xmx256m"),
                List.of(
                        "--tributary.listeners.tcp.authentication=devices",
                        "--tributary.security.authenticators.devices.kind=store",
                        "--tributary.security.seed=" + seed()));
        api = new SecurityApi(broker.httpPort(), Files.readString(tokenFile()).strip());
    }

    /** Of "password-of-alice", by argon2-cffi. */
    private static Path seed() throws IOException {
        Files.createDirectories(folder);
        return Files.writeString(folder.resolve("seed.yaml"), """
                users:
                  "devices:seeded":
                    passwordHash: "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$a5aei+rnvF0QypoJQ7t1/73tRDDyOUGso6knD29bSV0"
                rules:
                  seeded: {order: 2, for: {groups: [g]}, rules: [{allow: publish, topic: "a/#", max-qos: 1, retain: no}]}
                tenants:
                  seeded: {limits: {connections: 7}}
                bans:
                  seeded: {clientId: banned-by-seed, expires: 2040-01-31T12:00:00Z}
                """);
    }

    @AfterAll
    static void stop() {
        api.close();
        broker.close();
    }

    @AfterEach
    void disconnect() {
        for (Mqtt5BlockingClient client : clients) {
            try {
                client.disconnect();
            } catch (MqttClientStateException gone) {
                assertThat(client.getState().isConnected()).isFalse(); // the broker was first
            }
        }
    }

    private static Path tokenFile() {
        return folder.resolve("data/admin.token");
    }

    @Test
    void tokenIsMadeForItsOwnerAloneAndIsNotInTheLog() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(tokenFile())))
                .isEqualTo("rw-------");
        String token = Files.readString(tokenFile()).strip();
        assertThat(token).hasSizeGreaterThanOrEqualTo(43);
        assertThat(Files.readString(broker.log()))
                .contains(tokenFile().toString())
                .doesNotContain(token);
    }

    @Test
    void nothingOpensWithoutTheToken() {
        for (String authorization :
                List.of("", "Bearer ", "Bearer wrong", "Basic YTpi", "Bearer " + "x".repeat(9_000))) {
            HttpResponse<String> answer = api.send("GET", "/api/v1/security/users", "", "Authorization", authorization);
            assertThat(answer.statusCode()).as(authorization).isIn(401, 400);
            assertThat(answer.body()).doesNotContain("items");
        }
        for (String path : List.of(
                "/api",
                "/api/v1/",
                "/%61pi/v1/security/users",
                "/api;x=y/v1/security/users",
                "/api/v1/security/nothing",
                "//api/v1/security/users",
                "/api/v1/../v1/security/users")) {
            HttpResponse<String> answer = api.send("GET", path, "", "Authorization", "Bearer wrong");
            assertThat(answer.statusCode()).as(path).isIn(401, 400, 404);
        }
        HttpResponse<String> refused = api.send("DELETE", "/api/v1/security/users/r:a", "", "Authorization", "x");
        assertThat(refused.headers().firstValue("WWW-Authenticate")).contains("Bearer");
        assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(api.send("GET", "/actuator/prometheus", "").body())
                .containsPattern("tributary_api_unauthorized_total [1-9]");
    }

    @Test
    void userLogsInAndIsThereAfterARestart() {
        assertThat(api.create("users/devices:alice", user(PASSWORD)).statusCode())
                .isEqualTo(201);
        assertThat(connect("c1", "alice", PASSWORD)).isNull();
        assertThat(connect("c2", "alice", "wrong")).isEqualTo(0x86);
        assertThat(connect("c2", "nobody", PASSWORD)).isEqualTo(0x86);
        HttpResponse<String> before = api.get("users/devices:alice");
        broker.kill();
        broker.start();
        assertThat(api.get("users/devices:alice").body()).isEqualTo(before.body());
        assertThat(connect("c3", "alice", PASSWORD)).isNull();
        assertThat(api.create("users/devices:alice", user(PASSWORD)).statusCode())
                .isEqualTo(412);
        assertThat(api.replace("users/devices:alice", "{\"groups\":[\"g\"]}").statusCode())
                .isEqualTo(200);
        assertThat(connect("c4", "alice", PASSWORD)).as("the password stays").isNull();
        assertThat(api.replace("users/devices:alice", "{\"password\":null}").statusCode())
                .isEqualTo(200);
        assertThat(connect("c5", "alice", PASSWORD)).isEqualTo(0x86);
    }

    @Test
    void versionDecidesWhenTwoChangeTheSame() {
        HttpResponse<String> made = api.create("tenants/acme", "{\"limits\":{\"connections\":5}}");
        String first = made.headers().firstValue("ETag").orElseThrow();
        assertThat(made.statusCode()).isEqualTo(201);
        HttpResponse<String> second = api.send("PUT", "/api/v1/security/tenants/acme", "{}", "If-Match", first);
        assertThat(second.statusCode()).isEqualTo(200);
        HttpResponse<String> late = api.send("PUT", "/api/v1/security/tenants/acme", "{}", "If-Match", first);
        assertThat(late.statusCode()).isEqualTo(412);
        assertThat(late.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(late.body()).contains("\"status\":412").contains("acme");
        assertThat(api.send("PUT", "/api/v1/security/tenants/acme", "{}").statusCode())
                .isEqualTo(428);
        assertThat(api.send("PUT", "/api/v1/security/tenants/nobodys", "no JSON", "If-Match", "*")
                        .statusCode())
                .as("nothing is read where there is nothing to be replaced")
                .isEqualTo(412);
        assertThat(api.send("DELETE", "/api/v1/security/tenants/acme", "", "If-Match", first)
                        .statusCode())
                .isEqualTo(412);
        assertThat(api.get("tenants/acme").headers().firstValue("ETag"))
                .isEqualTo(second.headers().firstValue("ETag"));
        assertThat(api.delete("tenants/acme").statusCode()).isEqualTo(204);
        assertThat(api.get("tenants/acme").statusCode()).isEqualTo(404);
    }

    @Test
    void connectionsEndWhenTheUserMayNotConnectAnyMore() {
        assertThat(api.create("users/devices:bob", user(PASSWORD)).statusCode()).isEqualTo(201);
        assertThat(connect("b1", "bob", PASSWORD)).isNull();
        assertThat(api.replace("users/devices:bob", "{\"groups\":[\"g\"]}").statusCode())
                .isEqualTo(200);
        assertThat(api.replace("users/devices:bob", "{\"disabled\":true}").statusCode())
                .isEqualTo(200);
        awaitDisconnected(clients.getLast());
        assertThat(connect("b1", "bob", PASSWORD)).isEqualTo(0x86);
        assertThat(api.replace("users/devices:bob", "{}").statusCode()).isEqualTo(200);
        assertThat(connect("b1", "bob", PASSWORD)).isNull();
        assertThat(api.delete("users/devices:bob").statusCode()).isEqualTo(204);
        awaitDisconnected(clients.getLast());
        assertThat(connect("b1", "bob", PASSWORD)).isEqualTo(0x86);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                api.send("GET", "/api/v1/audit?limit=100", "").body())
                        .containsPattern(
                                "\"action\":\"disconnect\",\"by\":\"\\(broker\\)\",\"clients\":\"[^\"]*devices:bob"));
    }

    @Test
    void deviceTokenIsShownOnceAndStandsForThePassword() {
        assertThat(api.create("users/devices:meter", "{}").statusCode()).isEqualTo(201);
        HttpResponse<String> made =
                api.send("POST", "/api/v1/security/tokens", "{\"user\":\"devices:meter\",\"description\":\"hall 7\"}");
        assertThat(made.statusCode()).isEqualTo(201);
        String secret = field(made.body(), "token");
        String id = field(made.body(), "id");
        assertThat(connect("m1", "meter", secret)).isNull();
        assertThat(connect("m2", "meter", secret.substring(1) + "A")).isEqualTo(0x86);
        assertThat(api.get("tokens").body()).contains("hall 7").doesNotContain(secret);
        assertThat(api.get("tokens/" + id).body()).doesNotContain(secret).doesNotContain("sha");
        assertThat(api.send("POST", "/api/v1/security/tokens", "{\"user\":\"devices:who\"}")
                        .statusCode())
                .isEqualTo(400);
        String other = field(
                api.send("POST", "/api/v1/security/tokens", "{\"user\":\"devices:meter\"}")
                        .body(),
                "token");
        assertThat(connect("m3", "meter", other)).isNull();
        Mqtt5BlockingClient stays = clients.getLast();
        assertThat(api.delete("tokens/" + id).statusCode()).isEqualTo(204);
        awaitDisconnected(clients.getFirst());
        assertThat(connect("m1", "meter", secret)).isEqualTo(0x86);
        assertThat(publish(stays, "x")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED); // it is connected
    }

    /** The connection of the login stays, as the password does. */
    @Test
    void oldHashIsReplacedAtALogin() {
        String hash = "$2b$04$EGdrhbKUv8Oc9vGiXX0HQOC7x/FiY5BvBGcvs8tODvacse791.dge";
        assertThat(api.create("users/devices:old-hash", "{\"passwordHash\":\"" + hash + "\"}")
                        .statusCode())
                .isEqualTo(201);
        String before = field(api.get("users/devices:old-hash").body(), "etag");
        assertThat(connect("old-hash", "old-hash", "tributary")).isNull();
        Mqtt5BlockingClient client = clients.getLast();
        await().atMost(PATIENCE)
                .until(() ->
                        !field(api.get("users/devices:old-hash").body(), "etag").equals(before));
        assertThat(api.send("GET", "/api/v1/audit?limit=100", "").body())
                .containsPattern("\"by\":\"\\(broker\\)\"[^}]*\"id\":\"devices:old-hash\"");
        assertThat(connect("old-hash-2", "old-hash", "tributary")).isNull();
        assertThat(connect("old-hash-3", "old-hash", "wrong")).isEqualTo(0x86);
        assertThat(api.create("users/devices:goes", user(PASSWORD)).statusCode())
                .isEqualTo(201);
        assertThat(connect("goes", "goes", PASSWORD)).isNull();
        assertThat(api.delete("users/devices:goes").statusCode()).isEqualTo(204);
        awaitDisconnected(clients.getLast()); // whoever is to go is gone
        assertThat(publish(client, "x")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED); // it is connected
        assertThat(api.replace("users/devices:old-hash", "{\"password\":\"another\"}")
                        .statusCode())
                .isEqualTo(200);
        awaitDisconnected(client);
    }

    @Test
    void bannedClientIsRefusedBeforeAnybodyIsAsked() {
        assertThat(api.create("users/devices:eve", user(PASSWORD)).statusCode()).isEqualTo(201);
        assertThat(connect("eve-1", "eve", PASSWORD)).isNull();
        Mqtt5BlockingClient there = clients.getLast();
        assertThat(api.create("bans/eve", "{\"user\":\"eve\",\"reason\":\"flood\"}")
                        .statusCode())
                .isEqualTo(201);
        assertThat(connect("eve-2", "eve", PASSWORD)).isEqualTo(0x8A);
        assertThat(connect("eve-2", "eve", "wrong")).as("nobody was asked").isEqualTo(0x8A);
        assertThat(there.getState()).isEqualTo(MqttClientState.CONNECTED);
        assertThat(api.get("bans/eve").body()).contains("\"automatic\":false");
        assertThat(api.replace("bans/eve", "{\"user\":\"eve\",\"disconnect\":true}")
                        .statusCode())
                .isEqualTo(200);
        awaitDisconnected(there);
        assertThat(api.delete("bans/eve").statusCode()).isEqualTo(204);
        assertThat(connect("eve-1", "eve", PASSWORD)).isNull();
        assertThat(api.create("bans/id", "{\"clientId\":\"eve-9\"}").statusCode())
                .isEqualTo(201);
        assertThat(connect("eve-9", "eve", PASSWORD)).isEqualTo(0x8A);
        assertThat(api.create("bans/net", "{\"address\":\"127.0.0.0/8\"}").statusCode())
                .isEqualTo(201);
        assertThat(connect("eve-3", "eve", PASSWORD)).isEqualTo(0x8A);
        assertThat(api.delete("bans/net").statusCode()).isEqualTo(204);
        assertThat(connect("eve-3", "eve", PASSWORD)).isNull();
    }

    @Test
    void ruleSetIsKeptAsItIsWritten() {
        String rules = "{\"order\":3,\"for\":{\"groups\":[\"devices\"]},\"rules\":["
                + "{\"deny\":\"subscribe\",\"topic\":\"fleet/+/secrets/#\"},"
                + "{\"allow\":\"publish\",\"topic\":\"devices/${clientid}/up/#\",\"max-qos\":1,\"retain\":false}]}";
        assertThat(api.create("rules/devices", rules).statusCode()).isEqualTo(201);
        assertThat(api.get("rules/devices").body()).contains(rules.substring(1, rules.length() - 1));
    }

    @Test
    void userIsDisconnectedWhenItLosesAGroup() {
        assertThat(api.create("users/devices:regrouped", user(PASSWORD)).statusCode())
                .isEqualTo(201);
        assertThat(connect("regrouped", "regrouped", PASSWORD)).isNull();
        Mqtt5BlockingClient client = clients.getLast();
        assertThat(api.replace("users/devices:regrouped", "{\"groups\":[\"devices\",\"more\"]}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(api.replace("users/devices:regrouped", "{\"groups\":[\"more\"]}")
                        .statusCode())
                .isEqualTo(200);
        awaitDisconnected(client);
    }

    @Test
    void refusedClientsAreListedWithoutTheirPasswords() {
        assertThat(connect("uninvited", "mallory", "guess-of-mallory")).isEqualTo(0x86);
        String body = api.get("refused?limit=5").body();
        assertThat(body)
                .contains("\"clientId\":\"uninvited\"", "\"user\":\"mallory\"", "bad_user_name_or_password")
                .doesNotContain("guess-of-mallory");
        assertThat(api.get("refused?limit=0").statusCode()).isEqualTo(400);
    }

    @Test
    void ruleSetDecidesFromItsChangeOn() {
        assertThat(api.create("users/devices:ruled", user(PASSWORD)).statusCode())
                .isEqualTo(201);
        assertThat(connect("ruled", "ruled", PASSWORD)).isNull();
        Mqtt5BlockingClient client = clients.getLast();
        assertThat(api.create("rules/mine", rulesOfUser("ruled", "ruled/#")).statusCode())
                .isEqualTo(201);
        await().atMost(PATIENCE).until(() -> publish(client, "ruled/other/x") != Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        subscribe(client, "ruled/other/#");
        assertThat(publish(client, "ruled/other/x")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
        assertThat(api.replace("rules/mine", rulesOfUser("ruled", "ruled/${clientid}/#"))
                        .statusCode())
                .isEqualTo(200);
        await().atMost(PATIENCE).until(() -> publish(client, "ruled/other/x") == Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        assertThat(publish(client, "ruled/ruled/x")).isEqualTo(Mqtt5PubAckReasonCode.NO_MATCHING_SUBSCRIBERS);
        assertThatThrownBy(() -> subscribe(client, "ruled/other/#")).isInstanceOf(Mqtt5SubAckException.class);
        broker.kill();
        broker.start();
        assertThat(connect("ruled", "ruled", PASSWORD)).isNull();
        assertThat(publish(clients.getLast(), "ruled/other/x")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        assertThat(publish(clients.getLast(), "ruled/ruled/x")).isNotEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
    }

    /** The connection stays, and each change bites. */
    @Test
    void usersOwnRulesDecideFromTheirChangeOn() {
        assertThat(api.create("users/devices:own", user(PASSWORD)).statusCode()).isEqualTo(201);
        assertThat(connect("own-1", "own", PASSWORD)).isNull();
        Mqtt5BlockingClient client = clients.getLast();
        assertThat(publish(client, "own/own-1/x")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        assertThat(api.replace("users/devices:own", rules("own/${clientid}/#")).statusCode())
                .isEqualTo(200);
        await().atMost(PATIENCE).until(() -> publish(client, "own/own-1/x") != Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        assertThat(publish(client, "own/other/x")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        subscribe(client, "own/own-1/#");
        assertThat(publish(client, "own/own-1/x")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
        assertThat(api.get("users/devices:own").body())
                .contains("\"rules\":[{\"allow\":\"all\",\"topic\":\"own/${clientid}/#\"}]");
        assertThat(api.replace("users/devices:own", rules("elsewhere/#")).statusCode())
                .isEqualTo(200);
        await().atMost(PATIENCE).until(() -> publish(client, "own/own-1/x") == Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        assertThat(publish(client, "elsewhere/x")).isEqualTo(Mqtt5PubAckReasonCode.NO_MATCHING_SUBSCRIBERS);
        assertThatThrownBy(() -> subscribe(client, "own/own-1/#")).isInstanceOf(Mqtt5SubAckException.class);
        broker.kill();
        broker.start();
        assertThat(connect("own-1", "own", PASSWORD)).isNull();
        assertThat(publish(clients.getLast(), "own/own-1/x")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        assertThat(publish(clients.getLast(), "elsewhere/x")).isNotEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
    }

    /** With the password that it has. */
    private static String rules(String topic) {
        return "{\"groups\":[\"devices\"],\"rules\":[{\"allow\":\"all\",\"topic\":\"" + topic + "\"}]}";
    }

    private static String rulesOfUser(String user, String topic) {
        return "{\"for\":{\"users\":[\"" + user + "\"]},\"rules\":[{\"allow\":\"all\",\"topic\":\"" + topic + "\"}]}";
    }

    private static void subscribe(Mqtt5BlockingClient client, String filter) {
        client.subscribeWith().topicFilter(filter).qos(MqttQos.AT_LEAST_ONCE).send();
    }

    private static Mqtt5PubAckReasonCode publish(Mqtt5BlockingClient client, String topic) {
        Mqtt5PublishResult result;
        try {
            result =
                    client.publishWith().topic(topic).qos(MqttQos.AT_LEAST_ONCE).send();
        } catch (Mqtt5PubAckException e) {
            return e.getMqttMessage().getReasonCode();
        }
        return ((Mqtt5PublishResult.Mqtt5Qos1Result) result).getPubAck().getReasonCode();
    }

    @Test
    void wrongRequestsAreRefusedInWords() {
        record Wrong(String object, String body, String words) {}
        for (Wrong wrong : List.of(
                new Wrong("users/no-realm", "{}", "REALM:NAME"),
                new Wrong("users/r:x", "{\"grups\":[]}", "grups is unknown"),
                new Wrong("users/r:x", "{\"groups\":\"a\"}", "groups must be a list of texts"),
                new Wrong("users/r:x", "{\"kind\":\"robot\"}", "small-application"),
                new Wrong("users/r:x", "{\"passwordHash\":\"hunter2\"}", "passwordHash"),
                new Wrong("users/r:x", "{\"expires\":\"tomorrow\"}", "expires must be a time"),
                new Wrong("users/r:x", "{\"tenant\":\"a/b\"}", "the tenant must have 1 to 64 bytes"),
                new Wrong("bans/x", "{\"tenant\":\"#\"}", "the tenant must have 1 to 64 bytes"),
                new Wrong("tenants/a%23", "{}", "the tenant must have 1 to 64 bytes"),
                new Wrong("users/r:x", "{\"disabled\":true,\"disabled\":false}", "no JSON"),
                new Wrong("users/r:x", "{\"password\":\"s3cr3t-in-body\",", "no JSON"),
                new Wrong("users/r:x", "{\"rules\":[]}", "rules is empty"),
                new Wrong("users/r:x", "{\"rules\":[{\"allow\":\"all\",\"topic\":\"a/#/b\"}]}", "a/#/b"),
                new Wrong("users/r:x", "[]", "must be a JSON object"),
                new Wrong("bans/x", "{\"address\":\"10.0.0.1/8\"}", "10.0.0.1/8"),
                new Wrong("bans/x", "{}", "one of address"),
                new Wrong("bans/automatic-1", "{\"clientId\":\"c\"}", "lifted"),
                new Wrong("rules/x", "{\"rules\":[]}", "has no rules"),
                new Wrong("rules/x", "{\"rules\":[{\"allow\":\"publish\",\"topic\":\"a/#/b\"}]}", "a/#/b"),
                new Wrong("rules/x", "{\"rules\":[{\"allow\":\"publish\",\"topic\":\"a/${me}\"}]}", "${clientid}"),
                new Wrong(
                        "rules/x",
                        "{\"for\":{\"addresses\":[\"10.0.0.1/8\"]},\"rules\":[{\"allow\":\"all\",\"topic\":\"a\"}]}",
                        "10.0.0.1/8"),
                new Wrong("rules/x", "{\"rules\":[{\"allow\":\"fly\",\"topic\":\"a\"}]}", "fly"),
                new Wrong("tenants/x", "{\"limits\":{\"connections\":-1}}", "connections"))) {
            HttpResponse<String> answer = api.create(wrong.object(), wrong.body());
            assertThat(answer.statusCode()).as(wrong.body() + answer.body()).isEqualTo(400);
            assertThat(answer.body()).contains(wrong.words()).doesNotContain("s3cr3t");
        }
        assertThat(api.create("tenants/x", "{\"limits\":" + " ".repeat(1 << 20) + "{}}")
                        .statusCode())
                .isEqualTo(413);
        assertThat(api.send(
                                "PUT",
                                "/api/v1/security/tenants/x",
                                "{}",
                                "Content-Type",
                                "text/plain",
                                "If-None-Match",
                                "*")
                        .statusCode())
                .isEqualTo(415);
        assertThat(api.send("PATCH", "/api/v1/security/tenants/x", "{}").statusCode())
                .isEqualTo(405);
        assertThat(api.get("nothing").statusCode()).isEqualTo(404);
        assertThat(api.create("tenants/" + "x".repeat(300), "{}").body()).contains("1 to 64 bytes");
        assertThat(api.get("users?limit=0").statusCode()).isEqualTo(400);
    }

    @Test
    void answerNamesRuleAndFieldThatAreWrong() {
        String good = "{\"allow\":\"all\",\"topic\":\"a\"}";
        assertThat(api.create("rules/odd", "{\"rules\":[" + good + ",{\"allow\":\"all\",\"topic\":\"a#\"}]}")
                        .body())
                .contains("\"detail\":\"rules[1].topic 'a#' cannot be:");
        assertThat(api.create("users/devices:odd", "{\"rules\":[" + good + ",{\"deny\":\"all\"}]}")
                        .body())
                .contains("\"detail\":\"rules[1].topic is missing");
        assertThat(api.create("rules/odd", "{\"rules\":[1]}").body()).contains("\"detail\":\"rules[0] must be a JSON");
        assertThat(api.create("rules/odd", "{\"order\":9999999999,\"rules\":[" + good + "]}")
                        .body())
                .contains("\"detail\":\"order must be from");
    }

    /** The web server refuses such paths before anybody is asked. */
    @ParameterizedTest
    @ValueSource(strings = {"tenants/a%2Fb", "tenants/a%5Cb", "tenants/a%00b", "tenants/%zz"})
    void pathThatCannotBeIsAnsweredAsAnyProblem(String path) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), broker.httpPort())) {
            socket.getOutputStream()
                    .write(("GET /api/v1/security/" + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                            .getBytes(UTF_8));
            String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
            assertThat(answer)
                    .startsWith("HTTP/1.1 400")
                    .contains("Content-Type: application/problem+json")
                    .contains("\"status\":400")
                    .doesNotContain("<html");
        }
    }

    @Test
    void pagesFollowEachOther() {
        for (int i = 0; i < 5; i++) {
            assertThat(api.create("users/pages:u%20" + i, "{}").statusCode()).isEqualTo(201);
        }
        List<String> seen = new ArrayList<>();
        String next = "/api/v1/security/users?limit=2&after=pages:";
        while (next != null && seen.size() < 10) {
            String page = api.send("GET", next, "").body();
            Matcher ids = Pattern.compile("\"id\":\"(pages:[^\"]*)\"").matcher(page);
            while (ids.find()) {
                seen.add(ids.group(1));
            }
            Matcher following = Pattern.compile("\"next\":\"([^\"]*)\"").matcher(page);
            next = following.find() ? following.group(1) : null;
        }
        assertThat(seen).containsExactly("pages:u 0", "pages:u 1", "pages:u 2", "pages:u 3", "pages:u 4");
    }

    @Test
    void seedIsPutInWhereItIsNotThereYet() {
        await().atMost(PATIENCE).until(() -> api.get("bans/seeded").statusCode() == 200);
        assertThat(connect("seeded-1", "seeded", "password-of-alice")).isNull();
        assertThat(connect("banned-by-seed", "seeded", "password-of-alice")).isEqualTo(0x8A);
        assertThat(api.get("rules/seeded").body()).contains("\"max-qos\":1,\"retain\":false");
        assertThat(api.replace("tenants/seeded", "{\"limits\":{\"connections\":8}}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(api.delete("users/devices:seeded").statusCode()).isEqualTo(204);
        broker.kill();
        broker.start();
        await().atMost(PATIENCE).until(() -> api.get("users/devices:seeded").statusCode() == 200);
        assertThat(api.get("tenants/seeded").body()).contains("\"connections\":8");
    }

    @Test
    void auditLogSaysWhoChangedWhat() {
        assertThat(api.create("tenants/audited", "{}").statusCode()).isEqualTo(201);
        assertThat(api.create("tenants/audited", "{}").statusCode()).isEqualTo(412);
        assertThat(api.delete("tenants/audited").statusCode()).isEqualTo(204);
        // The broker's own entries, of what other tests left to it, may come between.
        String byAdmin = ",\"by\":\"admin\",\"from\":\"127.0.0.1\",\"id\":\"audited\"";
        assertThat(api.send("GET", "/api/v1/audit?limit=100", "").body())
                .containsPattern("\"action\":\"remove\",\"before\":\"[^\"]+\"" + byAdmin
                        + ".*\"action\":\"put\",\"after\":\"[^\"]+\"" + byAdmin);
        String newest = api.send("GET", "/api/v1/audit?limit=1", "").body();
        String next = api.send("GET", field(newest, "next"), "").body();
        assertThat(position(next)).isEqualTo(position(newest) - 1);
        assertThat(api.send("GET", "/api/v1/audit", "", "Authorization", "Bearer wrong")
                        .statusCode())
                .isEqualTo(401);
    }

    /** The file is read again while the broker runs. */
    @Test
    void auditLogSaysByNameWhoChangedWhatWhenTokensHaveNames() throws IOException {
        String whole = Files.readString(tokenFile());
        String ofBob = "token-of-bob-with-enough-characters";
        Files.writeString(tokenFile(), "ann:" + whole + "bob:" + ofBob + "\n");
        try (SecurityApi bob = new SecurityApi(broker.httpPort(), ofBob)) {
            await().atMost(PATIENCE).until(() -> bob.get("tenants").statusCode() == 200);
            assertThat(bob.create("tenants/of-bob", "{}").statusCode()).isEqualTo(201);
            assertThat(api.create("tenants/of-ann", "{}").statusCode()).isEqualTo(201);
            assertThat(api.send("GET", "/api/v1/audit?limit=100", "").body())
                    .containsPattern("\"by\":\"ann\"[^}]*\"id\":\"of-ann\"")
                    .containsPattern("\"by\":\"bob\"[^}]*\"id\":\"of-bob\"")
                    .doesNotContain(ofBob);
            Files.writeString(tokenFile(), whole);
            await().atMost(PATIENCE).until(() -> bob.get("tenants").statusCode() == 401);
        } finally {
            Files.writeString(tokenFile(), whole);
        }
    }

    @Test
    void nothingSecretIsInAnswersLogOrMetrics() throws IOException {
        String secret = "s3cr3t-of-nobody-else";
        assertThat(api.create("users/devices:sly", user(secret)).statusCode()).isEqualTo(201);
        assertThat(connect("s1", "sly", secret)).isNull();
        assertThat(connect("s2", "sly", secret + "x")).isEqualTo(0x86);
        assertThat(api.get("users/devices:sly").body()).doesNotContain(secret).doesNotContain("argon2id");
        assertThat(api.send("GET", "/actuator/prometheus", "").body()).doesNotContain(secret);
        assertThat(Files.readString(broker.log(), UTF_8)).doesNotContain(secret).doesNotContain("argon2id");
    }

    private static String user(String password) {
        return "{\"password\":\"" + password + "\",\"groups\":[\"devices\"]}";
    }

    private static String field(String json, String name) {
        Matcher field = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        assertThat(field.find()).as(json).isTrue();
        return field.group(1);
    }

    /** Of the first entry of a page of the audit log. */
    private static int position(String page) {
        Matcher position = Pattern.compile("\"position\":(\\d+)").matcher(page);
        assertThat(position.find()).as(page).isTrue();
        return Integer.parseInt(position.group(1));
    }

    private static void awaitDisconnected(Mqtt5BlockingClient client) {
        await().atMost(PATIENCE).until(() -> !client.getState().isConnected());
    }

    /** Null when the client is let in; else the reason code, or -1 when there was no answer. */
    private @Nullable Integer connect(String clientId, String user, String password) {
        Mqtt5BlockingClient client = Mqtt5Client.builder()
                .identifier(clientId)
                .serverHost("127.0.0.1")
                .serverPort(broker.tcpPort())
                .buildBlocking();
        try {
            client.connectWith()
                    .simpleAuth()
                    .username(user)
                    .password(password.getBytes(UTF_8))
                    .applySimpleAuth()
                    .send();
            clients.add(client);
            return null;
        } catch (Mqtt5ConnAckException refused) {
            return refused.getMqttMessage().getReasonCode().getCode();
        } catch (RuntimeException lost) {
            return -1;
        }
    }
}
