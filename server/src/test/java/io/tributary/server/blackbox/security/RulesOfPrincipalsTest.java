package io.tributary.server.blackbox.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.localcluster.Ports;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules about whom authenticators know: users, groups, tenants, attributes, and where they come from. */
@ExtendWith(BrokerExtension.class)
class RulesOfPrincipalsTest {
    private static final String TOKEN = "c0ffee00d15ea5e0c0ffee00d15ea5e0c0ffee00d15ea5e0c0ffee00d15ea5e0";
    private static final String USERS = """
            users:
              ann: {tokens: ["DIGEST"], groups: [devices, pumps], attributes: {site: "7"}}
              bob: {tokens: ["DIGEST"], groups: [dashboards]}
              tom: {tokens: ["DIGEST"], tenant: acme}
            """;
    private static final String SETTINGS = """
            tributary:
              listeners:
                tcp: {authentication: [people]}
                inner: {host: 127.0.0.1, port: PORT, authentication: [people]}
              security:
                authenticators: {people: {kind: file, file: "FILE"}}
                rules:
                  - for: {groups: [devices]}
                    rules:
                      - {allow: publish, topic: "of/${username}/#"}
                      - {allow: publish, topic: "in/${group}/#"}
                      - {allow: publish, topic: "at/${claim.site}/#"}
                  - rules: [{allow: publish, topic: "tenants/${tenant}/#"}]
                  - for: {users: [bob], listeners: [inner], addresses: [127.0.0.0/8]}
                    rules: [{allow: all, topic: "#"}]
                  - for: {users: [bob], addresses: [10.0.0.0/8]}
                    rules: [{allow: publish, topic: "ten"}]
                  - for: {groups: [dashboards]}
                    rules: [{allow: subscribe, topic: "shown/#"}]
            """;

    private static final int INNER = Ports.free();
    private static BrokerProcess broker;

    @BeforeAll
    static void start() throws Exception {
        Path folder = Scratch.folder("rules-of-principals");
        Files.createDirectories(folder);
        String digest =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(TOKEN.getBytes(UTF_8)));
        Path users = folder.resolve("users.yaml");
        Files.writeString(users, USERS.replace("DIGEST", digest));
        Files.setPosixFilePermissions(users, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(
                folder.resolve("tributary.yaml"),
                SETTINGS.replace("PORT", Integer.toString(INNER)).replace("FILE", users.toString()));
        broker = BrokerProcess.start(
                folder.resolve("data"),
                List.of("-Xmx256m"),
                List.of("--spring.config.additional-location=file:" + folder + "/"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @ParameterizedTest
    @CsvSource({
        "ann, of/ann/x, true",
        "ann, of/bob/x, false",
        "ann, in/pumps/x, true",
        "ann, in/dashboards/x, false",
        "ann, at/7/x, true",
        "ann, at/8/x, false",
        "tom, tenants/acme/x, true",
        "tom, tenants/other/x, false",
        "ann, else, false",
        "bob, of/bob/x, false", // not one of the devices
        "bob, tenants/acme/x, false", // no tenant
        "bob, anything, false", // at this listener
        "bob, ten, false", // from this address
    })
    void clientMayPublishWhatItsPrincipalMay(String user, String topic, boolean allowed) throws IOException {
        assertThat(publish(broker.tcpPort(), user, topic).isError()).isEqualTo(!allowed);
    }

    @Test
    void clientMayPublishMoreWhenItComesThroughAnotherListener() throws IOException {
        assertThat(publish(INNER, "bob", "anything").isError()).isFalse();
        assertThat(publish(INNER, "ann", "anything").isError()).isTrue();
    }

    /** What allows it is not stored with the session, and is not forgotten either. */
    @Test
    void messageWaitsForSessionWhenListenerGivesTheRight() throws IOException {
        try (TestClient bob = connect(INNER, "bob", 3_600)) {
            Subscription all = new Subscription("#", QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND);
            bob.send(new Subscribe(1, List.of(all), 0, List.of()));
            assertThat(bob.expect(Suback.class).reasons()).containsExactly(ReasonCode.GRANTED_QOS_1);
            bob.disconnect(-1);
        }
        assertThat(publish(broker.tcpPort(), "ann", "of/ann/1")).isEqualTo(ReasonCode.SUCCESS);
        try (TestClient bob = connect(INNER, "bob", 3_600)) {
            Publish message = bob.expect(Publish.class);
            assertThat(message.topic()).isEqualTo("of/ann/1");
            bob.send(new Puback(message.packetId(), ReasonCode.SUCCESS, null, List.of()));
            bob.disconnect(-1);
        }
        assertThat(publish(broker.tcpPort(), "ann", "of/ann/2")).isEqualTo(ReasonCode.SUCCESS);
        try (TestClient bob = connect(broker.tcpPort(), "bob", 3_600)) { // where it may read less
            bob.send(new MqttPacket.Pingreq());
            bob.expect(MqttPacket.Pingresp.class);
            assertThat(bob.poll(Duration.ofMillis(500))).isNull();
            bob.disconnect(0);
        }
    }

    private static ReasonCode publish(int port, String user, String topic) throws IOException {
        try (TestClient client = connect(port, user, 0)) {
            client.send(TestTalk.packet(topic, "x", false, 0));
            return client.expect(Puback.class).reason();
        }
    }

    private static TestClient connect(int port, String user, long expiry) throws IOException {
        TestClient client = TestClient.open(port, ProtocolVersion.MQTT_5);
        client.connect(new Connect(
                ProtocolVersion.MQTT_5,
                false,
                0,
                "client-of-" + user,
                null,
                user,
                TOKEN.getBytes(UTF_8),
                ConnectProperties.defaults(expiry)));
        return client;
    }
}
