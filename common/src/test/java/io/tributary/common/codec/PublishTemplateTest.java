package io.tributary.common.codec;

import static io.tributary.common.mqtt.ProtocolVersion.MQTT_3_1_1;
import static io.tributary.common.mqtt.ProtocolVersion.MQTT_5;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PublishTemplateTest {
    private static final PublishProperties PROPERTIES = new PublishProperties(
            PayloadFormat.UTF_8, "text", "re", new byte[] {1}, List.of(new UserProperty("k", "v")));
    private static final PublishVariant QOS_0 = PublishVariant.plain(QoS.AT_MOST_ONCE, false, false, 0);

    @Test
    void writesOnlyWhatMqtt3HasWhenVersionIsMqtt3() {
        PublishVariant variant = new PublishVariant(QoS.AT_LEAST_ONCE, true, true, 7, 3, true, 60, List.of(9));
        assertThat(written(PublishTemplate.of(message(PROPERTIES), false), variant))
                .isEqualTo("3b070001740007" + "6869");
    }

    @Test
    void writesTopicWhenMqtt3CannotUseAliases() {
        PublishVariant variant = new PublishVariant(QoS.AT_MOST_ONCE, false, false, 0, 3, false, 60, List.of());
        assertThat(written(PublishTemplate.of(message(PROPERTIES), false), variant))
                .isEqualTo("3005000174" + "6869");
    }

    @Test
    void writesPartsThatDifferBeforeUnalteredPropertiesWhenMqtt5() {
        PublishVariant variant = new PublishVariant(QoS.EXACTLY_ONCE, false, false, 7, 3, false, 60, List.of(9, 300));
        assertThat(written(PublishTemplate.of(message(PROPERTIES), true), variant))
                .isEqualTo("342d" + "0000" + "0007" + "26" + "020000003c" + "230003" + "0b09" + "0bac02" + "0101"
                        + "03000474657874" + "0800027265" + "09000101" + "2600016b000176" + "6869");
    }

    @Test
    void writesEmptyPropertySectionWhenMqtt5MessageHasNone() {
        assertThat(written(PublishTemplate.of(message(PublishProperties.NONE), true), QOS_0))
                .isEqualTo("300600017400" + "6869");
    }

    @Test
    void decodesToTheMessageWhenVariantsDiffer() {
        PublishTemplate template = PublishTemplate.of(message(PROPERTIES), true);
        for (QoS qos : QoS.values()) {
            int packetId = qos.isAcknowledged() ? 5 : 0;
            PublishVariant variant = new PublishVariant(qos, true, false, packetId, 0, true, 10, List.of(1));
            ByteBuf out = Unpooled.buffer();
            template.write(variant, out);
            Publish expected =
                    new Publish("t", new byte[] {'h', 'i'}, qos, true, false, packetId, 0, 10, PROPERTIES, List.of(1));
            assertThat(Wire.client(MQTT_5).decode(out))
                    .usingRecursiveComparison()
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 122, 123, 124, 16_000, 16_379, 16_380, 2_097_150})
    void tellsExactSizeWhenPayloadGrows(int payloadBytes) {
        Message message = new Message(
                "t", new byte[payloadBytes], QoS.AT_LEAST_ONCE, false, PublishProperties.NONE, Message.NEVER, "c");
        for (boolean mqtt5 : new boolean[] {false, true}) {
            PublishTemplate template = PublishTemplate.of(message, mqtt5);
            PublishVariant variant = PublishVariant.plain(QoS.AT_LEAST_ONCE, false, false, 1);
            assertThat(written(template, variant)).hasSize(2 * template.size(variant));
        }
    }

    @Test
    void writesNothingWhenReceiverDoesNotTakeThatMuch() { // [MQTT-3.1.2-24]
        PublishTemplate template = PublishTemplate.of(message(PublishProperties.NONE), true);
        ByteBuf out = Unpooled.buffer();
        assertThat(new MqttEncoder(MQTT_5, 7).encode(template, QOS_0, out)).isFalse();
        assertThat(out.isReadable()).isFalse();
        assertThat(new MqttEncoder(MQTT_5, 8).encode(template, QOS_0, out)).isTrue();
        assertThat(out.readableBytes()).isEqualTo(8);
    }

    @Test
    void refusesTemplateWhenItIsOfAnotherVersion() {
        PublishTemplate template = PublishTemplate.of(message(PublishProperties.NONE), true);
        for (ProtocolVersion version : List.of(ProtocolVersion.MQTT_3_1, MQTT_3_1_1)) {
            MqttEncoder encoder = new MqttEncoder(version, 100);
            assertThatThrownBy(() -> encoder.encode(template, QOS_0, Unpooled.buffer()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** As a message of nearly that size with the identifiers of its subscriptions, which its publisher did not send. */
    @Test
    void writesNothingWhenMqttHasNoPacketThatLarge() {
        PublishTemplate template = PublishTemplate.of(message(PublishProperties.NONE), true);
        int most = Varint.MAX / 5; // each takes a byte for what it is, and four
        PublishVariant variant = new PublishVariant(
                QoS.AT_MOST_ONCE, false, false, 0, 0, true, MqttPacket.ABSENT, Collections.nCopies(most, Varint.MAX));
        ByteBuf out = Unpooled.buffer();

        MqttEncoder encoder = new MqttEncoder(MQTT_5, MqttPacket.ConnectProperties.LARGEST_PACKET);

        assertThat(encoder.encode(template, variant, out)).isFalse();
        assertThat(encoder.encodeHead(template, variant, out)).isFalse();
        assertThat(out.isReadable()).isFalse();
    }

    @Test
    void refusesVariantWhenItsPartsDoNotFit() {
        assertInvalid(QoS.AT_MOST_ONCE, false, 1, 0, true); // [MQTT-2.2.1-2]
        assertInvalid(QoS.AT_LEAST_ONCE, false, 0, 0, true); // [MQTT-2.2.1-4]
        assertInvalid(QoS.AT_LEAST_ONCE, false, 65_536, 0, true);
        assertInvalid(QoS.AT_MOST_ONCE, true, 0, 0, true); // [MQTT-3.3.1-2]
        assertInvalid(QoS.AT_MOST_ONCE, false, 0, 0, false); // [MQTT-3.3.2-8]
        assertInvalid(QoS.AT_MOST_ONCE, false, 0, 65_536, true);
    }

    private static void assertInvalid(QoS qos, boolean dup, int packetId, int alias, boolean sendTopic) {
        assertThatThrownBy(() ->
                        new PublishVariant(qos, false, dup, packetId, alias, sendTopic, MqttPacket.ABSENT, List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Message message(PublishProperties properties) {
        return new Message("t", new byte[] {'h', 'i'}, QoS.EXACTLY_ONCE, true, properties, Message.NEVER, "c");
    }

    private static String written(PublishTemplate template, PublishVariant variant) {
        ByteBuf out = Unpooled.buffer();
        template.write(variant, out);
        assertThat(out.readableBytes()).isEqualTo(template.size(variant));
        return Wire.hex(out);
    }
}
