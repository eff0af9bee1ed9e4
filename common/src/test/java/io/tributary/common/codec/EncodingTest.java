package io.tributary.common.codec;

import static io.tributary.common.mqtt.ProtocolVersion.MQTT_3_1;
import static io.tributary.common.mqtt.ProtocolVersion.MQTT_3_1_1;
import static io.tributary.common.mqtt.ProtocolVersion.MQTT_5;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.ConnackProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsuback;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.UserProperty;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exact bytes of packets, and what is left out when they would be too large. */
class EncodingTest {
    private static final List<UserProperty> USER = List.of(new UserProperty("k", "v"));

    @Test
    void encodesConnectWhenVersionsDiffer() {
        assertBytes(MQTT_3_1, Wire.connect(MQTT_3_1), "100f 0006 4d5149736470 03 02 003c 0001 63");
        assertBytes(MQTT_3_1_1, Wire.connect(MQTT_3_1_1), "100d 0004 4d515454 04 02 003c 0001 63");
        assertBytes(MQTT_5, Wire.connect(MQTT_5), "100e 0004 4d515454 05 02 003c 00 0001 63");
    }

    @Test
    void encodesShortAcknowledgementsWhenTheySayNothing() {
        for (ProtocolVersion version : ProtocolVersion.values()) {
            assertBytes(version, new Puback(1, ReasonCode.SUCCESS, null, List.of()), "4002 0001");
            assertBytes(version, new Pubrec(256, ReasonCode.SUCCESS, null, List.of()), "5002 0100");
            assertBytes(version, new Pubrel(0xFFFF, ReasonCode.SUCCESS, null, List.of()), "6202 ffff");
            assertBytes(version, new Pubcomp(2, ReasonCode.SUCCESS, null, List.of()), "7002 0002");
            assertBytes(version, new Pingreq(), "c000");
            assertBytes(version, new Pingresp(), "d000");
            assertBytes(version, disconnect(ReasonCode.SUCCESS), "e000");
        }
    }

    @Test
    void encodesReasonWhenMqtt5AcknowledgementHasOne() {
        Puback bare = new Puback(1, ReasonCode.QUOTA_EXCEEDED, null, List.of());
        assertBytes(MQTT_5, bare, "4003 0001 97");
        assertBytes(MQTT_3_1_1, bare, "4002 0001");
        assertBytes(MQTT_5, new Puback(1, ReasonCode.SUCCESS, "r", List.of()), "4008 0001 00 04 1f 0001 72");
        assertBytes(MQTT_5, new Puback(1, ReasonCode.SUCCESS, null, USER), "400b 0001 00 07 26 0001 6b 0001 76");
    }

    @Test
    void encodesSubscribeWithOptionsWhenMqtt5() {
        Subscription all = new Subscription("t", QoS.EXACTLY_ONCE, true, true, RetainHandling.DO_NOT_SEND);
        Subscribe subscribe = new Subscribe(1, List.of(all), 5, List.of());
        assertBytes(MQTT_5, subscribe, "8209 0001 02 0b05 0001 74 2e");
        assertBytes(MQTT_3_1_1, subscribe, "8206 0001 0001 74 02");
        Unsubscribe unsubscribe = new Unsubscribe(1, List.of("t"), List.of());
        assertBytes(MQTT_5, unsubscribe, "a206 0001 00 0001 74");
        assertBytes(MQTT_3_1_1, unsubscribe, "a205 0001 0001 74");
    }

    @Test
    void translatesSubackWhenMqtt3() { // [MQTT-3.9.3-2]
        Suback suback = new Suback(
                1,
                List.of(ReasonCode.SUCCESS, ReasonCode.GRANTED_QOS_2, ReasonCode.NOT_AUTHORIZED),
                "words",
                List.of());
        assertBytes(MQTT_3_1_1, suback, "9005 0001 00 02 80");
        assertBytes(MQTT_3_1, suback, "9005 0001 00 02 80");
        Suback bare = new Suback(1, List.of(ReasonCode.NOT_AUTHORIZED), null, List.of());
        assertBytes(MQTT_5, bare, "9004 0001 00 87");
    }

    @Test
    void leavesPayloadOutWhenUnsubackIsMqtt3() {
        Unsuback unsuback = new Unsuback(1, List.of(ReasonCode.NO_SUBSCRIPTION_EXISTED), null, List.of());
        assertBytes(MQTT_3_1_1, unsuback, "b002 0001");
        assertBytes(MQTT_5, unsuback, "b004 0001 00 11");
    }

    @ParameterizedTest
    @CsvSource({
        "SUCCESS, 0",
        "UNSUPPORTED_PROTOCOL_VERSION, 1",
        "CLIENT_IDENTIFIER_NOT_VALID, 2",
        "SERVER_UNAVAILABLE, 3",
        "SERVER_BUSY, 3",
        "QUOTA_EXCEEDED, 3",
        "BAD_USER_NAME_OR_PASSWORD, 4",
        "NOT_AUTHORIZED, 5",
        "BANNED, 5",
        "BAD_AUTHENTICATION_METHOD, 5"
    })
    void translatesConnackWhenMqtt3(ReasonCode reason, int returnCode) {
        Connack connack = new Connack(false, reason, ConnackProperties.reason("words"));
        assertBytes(MQTT_3_1_1, connack, "2002 00 0" + returnCode);
        assertBytes(MQTT_3_1, connack, "2002 00 0" + returnCode);
    }

    @Test
    void encodesConnackPropertiesWhenMqtt5() {
        ConnackProperties properties = new ConnackProperties(
                1,
                2,
                QoS.AT_LEAST_ONCE,
                false,
                4,
                "i",
                5,
                null,
                List.of(),
                false,
                false,
                false,
                6,
                "r",
                "s",
                "m",
                new byte[] {9});
        assertBytes(
                MQTT_5,
                new Connack(true, ReasonCode.SUCCESS, properties),
                "2034 01 00 31 11 00000001 21 0002 24 01 25 00 27 00000004 12 0001 69 22 0005 28 00 29 00 2a 00"
                        + "13 0006 1a 0001 72 1c 0001 73 15 0001 6d 16 0001 09");
    }

    @Test
    void leavesMaximumQosOutWhenItIsTwo() { // section 3.2.2.3.4: sending 2 is a protocol error
        ConnackProperties properties = new ConnackProperties(
                -1,
                -1,
                QoS.EXACTLY_ONCE,
                true,
                -1,
                null,
                -1,
                null,
                List.of(),
                true,
                true,
                true,
                -1,
                null,
                null,
                null,
                null);
        assertBytes(MQTT_5, new Connack(false, ReasonCode.SUCCESS, properties), "2003 00 00 00");
    }

    @Test
    void refusesPacketWhenMqtt3DoesNotHaveIt() {
        assertRefused(MQTT_3_1_1, new Auth(ReasonCode.SUCCESS, null, null, null, List.of()));
        assertRefused(MQTT_3_1_1, disconnect(ReasonCode.SERVER_SHUTTING_DOWN));
        assertRefused(MQTT_3_1_1, disconnect(ReasonCode.DISCONNECT_WITH_WILL));
        assertRefused(MQTT_3_1_1, Wire.connect(MQTT_5));
    }

    @Test
    void refusesTextWhenItIsTooLongForItsLength() {
        assertRefused(MQTT_5, new Puback(1, ReasonCode.SUCCESS, "x".repeat(65_536), List.of()));
        assertRefused(MQTT_5, publish("t".repeat(65_536), ReasonCode.SUCCESS.code()));
    }

    @Test
    void leavesWordsOutWhenAnswerWouldBeTooLarge() { // [MQTT-3.4.2-2], [MQTT-3.4.2-3], [MQTT-3.2.2-19], ...
        for (MqttPacket packet : List.of(
                new Puback(1, ReasonCode.QUOTA_EXCEEDED, "reason", USER),
                new Pubrec(1, ReasonCode.QUOTA_EXCEEDED, "reason", USER),
                new Pubrel(1, ReasonCode.PACKET_IDENTIFIER_NOT_FOUND, "reason", USER),
                new Pubcomp(1, ReasonCode.PACKET_IDENTIFIER_NOT_FOUND, "reason", USER),
                new Suback(1, List.of(ReasonCode.SUCCESS), "reason", USER),
                new Unsuback(1, List.of(ReasonCode.SUCCESS), "reason", USER),
                new Disconnect(ReasonCode.QUOTA_EXCEEDED, MqttPacket.ABSENT, "reason", null, USER),
                new Auth(ReasonCode.CONTINUE_AUTHENTICATION, "m", null, "reason", USER),
                new Connack(false, ReasonCode.BANNED, connackWords()))) {
            int full = Wire.encode(MQTT_5, packet).length;
            assertThat(encodedWithin(full, packet)).contains("1f0006", "26").hasSize(2 * full);
            assertThat(encodedWithin(full - 1, packet)).contains("1f0006").doesNotContain("2600016b000176");
            int withReason = encodedWithin(full - 1, packet).length() / 2;
            assertThat(encodedWithin(withReason - 1, packet))
                    .doesNotContain("1f0006")
                    .isNotEmpty();
            assertThat(encodedWithin(2, packet)).isEmpty();
        }
    }

    @Test
    void writesNothingWhenPacketIsTooLarge() { // [MQTT-3.1.2-24]
        Publish publish = publish("topic", 3);
        int size = Wire.encode(MQTT_5, publish).length;
        assertThat(encodedWithin(size, publish)).hasSize(2 * size);
        assertThat(encodedWithin(size - 1, publish)).isEmpty();
        assertThat(encodedWithin(3, new Puback(1, ReasonCode.SUCCESS, null, List.of())))
                .isEmpty();
        assertThat(encodedWithin(4, new Puback(1, ReasonCode.SUCCESS, null, List.of())))
                .isEqualTo("40020001");
    }

    @Test
    void keepsUserPropertiesOfMessageWhenPacketIsTooLarge() { // [MQTT-3.3.2-17]: they go through unaltered, or not
        // at all
        PublishProperties properties = new PublishProperties(null, null, null, null, USER);
        Publish publish = new Publish(
                "t", new byte[0], QoS.AT_MOST_ONCE, false, false, 0, 0, MqttPacket.ABSENT, properties, List.of());
        assertThat(encodedWithin(Wire.encode(MQTT_5, publish).length - 1, publish))
                .isEmpty();
    }

    private static ConnackProperties connackWords() {
        return new ConnackProperties(
                -1, -1, null, true, -1, null, -1, "reason", USER, true, true, true, -1, null, null, null, null);
    }

    private static Publish publish(String topic, int payloadBytes) {
        return new Publish(
                topic,
                new byte[payloadBytes],
                QoS.AT_LEAST_ONCE,
                false,
                false,
                1,
                0,
                MqttPacket.ABSENT,
                PublishProperties.NONE,
                List.of());
    }

    private static Disconnect disconnect(ReasonCode reason) {
        return new Disconnect(reason, MqttPacket.ABSENT, null, null, List.of());
    }

    private static String encodedWithin(int maximumPacketSize, MqttPacket packet) {
        ByteBuf out = Unpooled.buffer();
        MqttEncoder encoder = new MqttEncoder(MQTT_5, maximumPacketSize);
        boolean written = encoder.encode(packet, out);
        assertThat(written).isEqualTo(out.isReadable());
        assertThat(out.readableBytes()).isLessThanOrEqualTo(maximumPacketSize);
        if (written) {
            assertThat(encoder.sizeOf(packet)).isEqualTo(out.readableBytes());
        }
        return Wire.hex(out);
    }

    private static void assertBytes(ProtocolVersion version, MqttPacket packet, String hex) {
        assertThat(Wire.hex(Unpooled.wrappedBuffer(Wire.encode(version, packet))))
                .isEqualTo(hex.replace(" ", ""));
    }

    private static void assertRefused(ProtocolVersion version, MqttPacket packet) {
        assertThatThrownBy(() -> Wire.encode(version, packet)).isInstanceOf(IllegalArgumentException.class);
    }
}
