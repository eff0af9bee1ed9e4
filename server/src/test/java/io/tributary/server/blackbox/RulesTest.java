package io.tributary.server.blackbox;

import static io.tributary.broker.blackbox.TestTalk.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules in a file of settings decide what clients of a running broker may do. */
@ExtendWith(BrokerExtension.class)
class RulesTest {
    private static final String RULES = """
            tributary:
              security:
                rules:
                  - name: meters
                    for: {client-ids: ["meter*", "+"]}
                    rules:
                      - {deny: subscribe, topic: "fleet/+/secrets/#"}
                      - {allow: publish, topic: "devices/${clientid}/up/#", max-qos: 1, retain: no}
                      - {allow: subscribe, topic: "devices/${clientid}/down/#"}
                      - {allow: subscribe, topic: "fleet/#", max-qos: 1}
                  - for: {client-ids: [operator]}
                    rules: [{allow: all, topic: "#"}, {allow: subscribe, topic: "$SYS/#"}]
            """;

    private static BrokerProcess broker;

    @BeforeAll
    static void start() throws IOException {
        Path folder = Scratch.folder("rules");
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("tributary.yaml"), RULES);
        broker = BrokerProcess.start(
                folder, List.of("-Xmx256m"), List.of("--spring.config.additional-location=file:" + folder + "/"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @ParameterizedTest
    @CsvSource({
        "devices/meter-1/up/power, AT_LEAST_ONCE, false, NO_MATCHING_SUBSCRIBERS",
        "devices/meter-1/up/power, AT_LEAST_ONCE, true, NOT_AUTHORIZED",
        "devices/meter-1/up/power, EXACTLY_ONCE, false, NOT_AUTHORIZED",
        "devices/meter-2/up/power, AT_LEAST_ONCE, false, NOT_AUTHORIZED",
        "fleet/1, AT_LEAST_ONCE, false, NOT_AUTHORIZED",
        "$SYS/broker/uptime, AT_LEAST_ONCE, false, NOT_AUTHORIZED"
    })
    void messageIsRefusedWhenNoRuleAllowsIt(String topic, QoS qos, boolean retain, ReasonCode reason)
            throws IOException {
        try (TestClient meter = connect("meter-1")) {
            meter.send(publish(topic, qos, retain));
            assertThat(
                            qos == QoS.EXACTLY_ONCE
                                    ? meter.expect(Pubrec.class).reason()
                                    : meter.expect(Puback.class).reason())
                    .isEqualTo(reason);
        }
    }

    /** MQTT 3 has no words for it: the message is acknowledged and goes nowhere. */
    @Test
    void messageGoesNowhereWhenPublisherOfMqtt3MayNot() throws IOException {
        try (TestClient operator = connect("operator");
                TestClient meter = TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_3_1_1, "meter-3", 0)) {
            assertThat(subscribe(operator, "devices/#", QoS.AT_LEAST_ONCE)).isEqualTo(ReasonCode.GRANTED_QOS_1);
            for (String topic : List.of("devices/meter-1/up", "devices/meter-3/up")) {
                meter.send(publish(topic, QoS.AT_LEAST_ONCE, false));
                meter.expect(Puback.class);
            }
            assertThat(operator.expect(Publish.class).topic()).isEqualTo("devices/meter-3/up");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "devices/meter-1/down/#, EXACTLY_ONCE, GRANTED_QOS_2",
        "fleet/#, EXACTLY_ONCE, GRANTED_QOS_1",
        "fleet/1/state, EXACTLY_ONCE, GRANTED_QOS_1",
        "fleet/1/state, AT_MOST_ONCE, SUCCESS",
        "$share/group/fleet/1/state, EXACTLY_ONCE, GRANTED_QOS_1",
        "fleet/1/secrets, AT_MOST_ONCE, NOT_AUTHORIZED",
        "fleet/+/secrets/#, AT_MOST_ONCE, NOT_AUTHORIZED",
        "devices/+/down/#, AT_MOST_ONCE, NOT_AUTHORIZED",
        "#, AT_MOST_ONCE, NOT_AUTHORIZED",
        "$share/group/#, AT_MOST_ONCE, NOT_AUTHORIZED",
        "$SYS/#, AT_MOST_ONCE, NOT_AUTHORIZED"
    })
    void subscriptionIsLoweredOrRefusedWhenRulesSaySo(String filter, QoS qos, ReasonCode reason) throws IOException {
        try (TestClient meter = connect("meter-1")) {
            assertThat(subscribe(meter, filter, qos)).isEqualTo(reason);
        }
    }

    @Test
    void messageIsNotDeliveredWhenSubscriptionIsCut() throws IOException {
        try (TestClient operator = connect("operator");
                TestClient meter = connect("meter-1")) {
            subscribe(meter, "fleet/#", QoS.AT_LEAST_ONCE);
            for (String topic : List.of("fleet/1/secrets/key", "fleet/1/secrets", "fleet/1/state")) {
                operator.send(publish(topic, QoS.AT_LEAST_ONCE, false));
                operator.expect(Puback.class);
            }
            assertThat(meter.expect(Publish.class).topic()).isEqualTo("fleet/1/state");
        }
    }

    @Test
    void retainedMessageIsNotDeliveredWhenSubscriptionIsCut() throws IOException {
        try (TestClient operator = connect("operator");
                TestClient meter = connect("meter-1")) {
            for (String topic : List.of("fleet/2/secrets/key", "fleet/2/state")) {
                operator.send(publish(topic, QoS.AT_LEAST_ONCE, true));
                operator.expect(Puback.class);
            }
            subscribe(meter, "fleet/2/#", QoS.AT_MOST_ONCE);
            List<String> topics = new ArrayList<>();
            topics.add(meter.expect(Publish.class).topic());
            meter.send(new MqttPacket.Pingreq());
            meter.expect(MqttPacket.Pingresp.class);
            assertThat(topics).containsExactly("fleet/2/state");
        }
    }

    @Test
    void connectIsRefusedWhenWillMayNotBePublished() throws IOException {
        try (TestClient meter = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5)) {
            meter.send(TestClient.connectPacket("meter-1", 0, "devices/meter-2/up/gone"));
            assertThat(meter.expect(Connack.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
        try (TestClient meter = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5)) {
            meter.connect(TestClient.connectPacket("meter-1", 0, "devices/meter-1/up/gone"));
        }
    }

    @Test
    void nothingIsAllowedWhenIdentifierIsAWildcard() throws IOException {
        try (TestClient meter = connect("+")) {
            assertThat(subscribe(meter, "devices/+/down/#", QoS.AT_MOST_ONCE)).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    @Test
    void nothingIsAllowedWhenNoRuleSetIsForTheClient() throws IOException {
        try (TestClient stranger = connect("stranger")) {
            assertThat(subscribe(stranger, "fleet/1/state", QoS.AT_MOST_ONCE)).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            stranger.send(publish("devices/stranger/up", QoS.AT_LEAST_ONCE, false));
            assertThat(stranger.expect(Puback.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    @Test
    void reservedTopicIsReadWhenRuleNamesIt() throws IOException {
        try (TestClient operator = connect("operator")) {
            assertThat(subscribe(operator, "$SYS/broker/version", QoS.AT_MOST_ONCE))
                    .isEqualTo(ReasonCode.SUCCESS);
            assertThat(operator.expect(Publish.class).topic()).isEqualTo("$SYS/broker/version");
        }
    }

    private static TestClient connect(String clientId) throws IOException {
        return TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_5, clientId, 0);
    }

    private static Publish publish(String topic, QoS qos, boolean retain) {
        return TestTalk.packet(topic, "x", qos, retain, 0);
    }
}
