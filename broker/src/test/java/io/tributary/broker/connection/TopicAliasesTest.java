package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.publish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.connection.OutboundTopicAliases.Use;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopicAliasesTest {
    private final InboundTopicAliases inbound = new InboundTopicAliases(5, null);
    private final OutboundTopicAliases outbound = new OutboundTopicAliases(2);

    @Test // [MQTT-3.3.2-12]
    void resolvesLatestTopicWhenAliasIsSetAnew() {
        assertThat(resolve("a", 5)).isEqualTo("a");
        assertThat(resolve("b", 5)).isEqualTo("b");

        assertThat(resolve("", 5)).isEqualTo("b");
    }

    @Test
    void refusesAliasThatWasNeverSet() {
        assertThatThrownBy(() -> resolve("", 1))
                .isInstanceOfSatisfying(
                        MqttException.class, e -> assertThat(e.reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR));
    }

    @Test // [MQTT-3.3.2-9]
    void refusesAliasAboveMaximum() {
        assertThatThrownBy(() -> resolve("a", 6))
                .isInstanceOfSatisfying(
                        MqttException.class, e -> assertThat(e.reason()).isEqualTo(ReasonCode.TOPIC_ALIAS_INVALID));
    }

    @Test
    void refusesTopicsThatAreTooLongTogether() {
        String quarter = "x".repeat(1 << 14);
        for (int alias = 1; alias <= 4; alias++) {
            resolve(quarter, alias);
        }
        resolve("y".repeat(1 << 14), 4);
        resolve("b", 1);
        resolve("x".repeat((1 << 14) - 1), 5);
        assertThatThrownBy(() -> resolve("bb", 1))
                .isInstanceOfSatisfying(
                        MqttException.class, e -> assertThat(e.reason()).isEqualTo(ReasonCode.QUOTA_EXCEEDED));
    }

    @Test
    void takesTheLongestTopicUnderOneAliasAndManyWhereManyAliasesAreAllowed() {
        InboundTopicAliases ofTenant = new InboundTopicAliases(5, "acme");
        String longest = "x".repeat(65_535);
        ofTenant.resolve(publish(longest, QoS.AT_MOST_ONCE, 0, 1));
        assertThat(ofTenant.resolve(publish("", QoS.AT_MOST_ONCE, 0, 1))).isEqualTo("\0acme/" + longest);

        InboundTopicAliases many = new InboundTopicAliases(65_535, null);
        for (int alias = 1; alias <= 65_535; alias++) {
            many.resolve(publish("x".repeat(256), QoS.AT_MOST_ONCE, 0, alias));
        }
    }

    @Test
    void givesNoneWhenTopicIsTooLongToBeKept() {
        assertThat(outbound.use("x".repeat(2_049))).isEqualTo(Use.NONE);
        assertThat(outbound.use("x".repeat(2_048))).isEqualTo(new Use(1, true));
    }

    @Test
    void takesTopicWhenThereIsNoAlias() {
        assertThat(resolve("a", 0)).isEqualTo("a");
    }

    @Test
    void resolvesToTheTenantsTopicWhenTheClientIsOne() {
        InboundTopicAliases ofTenant = new InboundTopicAliases(5, "acme");
        for (String topic : List.of("a", "a", "b", "a")) {
            assertThat(ofTenant.resolve(publish(topic, QoS.AT_MOST_ONCE, 0, 0))).isEqualTo("\0acme/" + topic);
        }
        assertThat(ofTenant.resolve(publish("b", QoS.AT_MOST_ONCE, 0, 5))).isEqualTo("\0acme/b");
        assertThat(ofTenant.resolve(publish("c", QoS.AT_MOST_ONCE, 0, 0))).isEqualTo("\0acme/c");
        assertThat(ofTenant.resolve(publish("", QoS.AT_MOST_ONCE, 0, 5))).isEqualTo("\0acme/b");
    }

    @Test // [MQTT-3.3.2-8, MQTT-3.3.2-11]
    void givesAliasesFromOneUpToMaximum() {
        assertThat(outbound.use("first")).isEqualTo(new Use(1, true));
        assertThat(outbound.use("second")).isEqualTo(new Use(2, true));
        assertThat(outbound.use("third")).isEqualTo(Use.NONE);
        assertThat(outbound.use("first")).isEqualTo(new Use(1, false));
    }

    @Test
    void replacesLeastRecentlyUsedWhenTopicMissesTwiceInARow() {
        outbound.use("first");
        outbound.use("second");
        outbound.use("first");
        outbound.use("third");

        assertThat(outbound.use("third")).isEqualTo(new Use(2, true));
        assertThat(outbound.use("first")).isEqualTo(new Use(1, false));
    }

    @Test
    void replacesNothingWhenTopicsAreEverNew() {
        outbound.use("first");
        outbound.use("second");
        for (int i = 0; i < 10; i++) {
            assertThat(outbound.use("topic" + i)).isEqualTo(Use.NONE);
        }

        assertThat(outbound.use("first").sendTopic()).isFalse();
    }

    @Test
    void givesNoneWhenTopicIsTooShortToSaveAnything() {
        assertThat(outbound.use("abc")).isEqualTo(Use.NONE);
    }

    @Test
    void givesAliasAgainWhenItWasRevoked() {
        outbound.use("first");
        outbound.revoke("first");

        assertThat(outbound.use("second")).isEqualTo(new Use(1, true));
    }

    @Test // [MQTT-3.1.2-27]
    void givesNoneWhenClientAllowsNone() {
        assertThat(new OutboundTopicAliases(0).use("a/long/topic")).isEqualTo(Use.NONE);
    }

    private String resolve(String topic, int alias) {
        return inbound.resolve(publish(topic, QoS.AT_MOST_ONCE, 0, alias));
    }
}
