package io.tributary.common.codec;

import static io.tributary.common.codec.Codes.assertRefused;
import static io.tributary.common.mqtt.ReasonCode.MALFORMED_PACKET;
import static io.tributary.common.mqtt.ReasonCode.PROTOCOL_ERROR;
import static io.tributary.common.mqtt.ReasonCode.TOPIC_ALIAS_INVALID;
import static io.tributary.common.mqtt.ReasonCode.TOPIC_FILTER_INVALID;
import static io.tributary.common.mqtt.ReasonCode.TOPIC_NAME_INVALID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a server must not accept after CONNECT, as bytes; a name ends with the version if it is of one only. */
class ViolationTest {

    static Stream<Arguments> inEveryVersion() { // ~ stands for the empty property section of MQTT 5
        return Stream.of(
                arguments("[MQTT-3.3.1-4] QoS 3", "36 0001 74 0001 ~", MALFORMED_PACKET),
                arguments("[MQTT-3.3.1-2] DUP with QoS 0", "38 0001 74 ~", MALFORMED_PACKET),
                arguments("[MQTT-3.3.2-2] PUBLISH to #", "30 0003 612f23 ~", TOPIC_NAME_INVALID),
                arguments("[MQTT-3.3.2-2] PUBLISH to +", "30 0001 2b ~", TOPIC_NAME_INVALID),
                arguments("[MQTT-1.5.4-1] topic no UTF-8", "30 0003 61c328 ~", MALFORMED_PACKET),
                arguments("[MQTT-1.5.4-1] encoded surrogate", "30 0004 61eda080 ~", MALFORMED_PACKET),
                arguments("[MQTT-1.5.4-1] surrogate pair", "30 0006 eda0bdedb880 ~", MALFORMED_PACKET),
                arguments("[MQTT-1.5.4-1] overlong encoding", "30 0003 61c0af ~", MALFORMED_PACKET),
                arguments("[MQTT-1.5.4-1] overlong null", "30 0003 61c080 ~", MALFORMED_PACKET),
                arguments("[MQTT-1.5.4-1] above U+10FFFF", "30 0004 f4908080 ~", MALFORMED_PACKET),
                arguments("[MQTT-1.5.4-1] character cut short", "30 0002 c3 00 ~", MALFORMED_PACKET),
                arguments("[MQTT-1.5.4-2] null character", "30 0003 610062 ~", MALFORMED_PACKET),
                arguments("[MQTT-2.2.1-3] QoS 1, packet id 0", "32 0001 74 0000 ~", PROTOCOL_ERROR),
                arguments("[MQTT-2.2.1-3] QoS 2, packet id 0", "34 0001 74 0000 ~", PROTOCOL_ERROR),
                arguments("PUBLISH: topic longer than packet", "30 0010 616263", MALFORMED_PACKET),
                arguments("PUBLISH: no packet id", "32 0001 74", MALFORMED_PACKET),
                arguments("PUBLISH: empty body", "30", MALFORMED_PACKET),
                arguments("[MQTT-2.1.3-1] PUBACK flags", "44 0001", MALFORMED_PACKET),
                arguments("[MQTT-2.1.3-1] PUBREC flags", "52 0001", MALFORMED_PACKET),
                arguments("[MQTT-3.6.1-1] PUBREL flags", "60 0001", MALFORMED_PACKET),
                arguments("[MQTT-2.1.3-1] PUBCOMP flags", "71 0001", MALFORMED_PACKET),
                arguments("[MQTT-2.1.3-1] PINGREQ flags", "c1", MALFORMED_PACKET),
                arguments("PINGREQ with a body", "c0 00", MALFORMED_PACKET),
                arguments("PUBACK: no packet id", "40", MALFORMED_PACKET),
                arguments("[MQTT-2.2.1-3] PUBACK: packet id 0", "40 0000", PROTOCOL_ERROR),
                arguments("[MQTT-3.8.1-1] SUBSCRIBE flags", "80 0001 ~ 0001 74 00", MALFORMED_PACKET),
                arguments("[MQTT-3.8.3-2] SUBSCRIBE without filter", "82 0009 ~", MALFORMED_PACKET),
                arguments("[MQTT-2.2.1-3] SUBSCRIBE: packet id 0", "82 0000 ~ 0001 74 00", PROTOCOL_ERROR),
                arguments("[MQTT-3.8.3-5] SUBSCRIBE: QoS 3", "82 0001 ~ 0001 74 03", PROTOCOL_ERROR),
                arguments("[MQTT-3.8.3-5] SUBSCRIBE: reserved bits", "82 0001 ~ 0001 74 c0", MALFORMED_PACKET),
                arguments("[MQTT-3.8.3-1] filter no UTF-8", "82 0001 ~ 0002 61ff 00", MALFORMED_PACKET),
                arguments("[MQTT-4.7.3-2] null in filter", "82 0001 ~ 0003 610062 00", MALFORMED_PACKET),
                arguments("SUBSCRIBE without options", "82 0001 ~ 0003 616263", MALFORMED_PACKET),
                arguments("[MQTT-4.7.1-1] a#", "82 0001 ~ 0002 6123 00", TOPIC_FILTER_INVALID),
                arguments("[MQTT-4.7.1-2] a+", "82 0001 ~ 0002 612b 00", TOPIC_FILTER_INVALID),
                arguments("[MQTT-4.7.3-1] empty filter", "82 0001 ~ 0000 00", TOPIC_FILTER_INVALID),
                arguments("second filter invalid", "82 0001 ~ 0001 74 00 0000 00", TOPIC_FILTER_INVALID),
                arguments("[MQTT-4.8.2-1] $share//t", "82 0001 ~ 0009 2473686172652f2f74 00", TOPIC_FILTER_INVALID),
                arguments("[MQTT-3.10.1-1] UNSUBSCRIBE flags", "a0 0001 ~ 0001 74", MALFORMED_PACKET),
                arguments("[MQTT-3.10.3-2] UNSUBSCRIBE without filter", "a2 0009 ~", MALFORMED_PACKET),
                arguments("[MQTT-2.2.1-3] UNSUBSCRIBE: packet id 0", "a2 0000 ~ 0001 74", PROTOCOL_ERROR),
                arguments("[MQTT-3.10.3-1] UNSUBSCRIBE no UTF-8", "a2 0001 ~ 0002 61ff", MALFORMED_PACKET),
                arguments("UNSUBSCRIBE: invalid filter", "a2 0001 ~ 0002 6123", TOPIC_FILTER_INVALID),
                arguments("[MQTT-3.14.1-1] DISCONNECT flags", "e1", MALFORMED_PACKET),
                arguments("reserved type 0", "00", MALFORMED_PACKET),
                arguments("[MQTT-3.1.0-2] second CONNECT", "10", PROTOCOL_ERROR),
                arguments("CONNACK from a client", "20 0000 ~", PROTOCOL_ERROR),
                arguments("SUBACK from a client", "90 0001 ~ 00", PROTOCOL_ERROR),
                arguments("UNSUBACK from a client", "b0 0001 ~", PROTOCOL_ERROR),
                arguments("PINGRESP from a client", "d0", PROTOCOL_ERROR));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("inEveryVersion")
    void refusesPacketWhenItIsWrongInEveryVersion(String name, String hex, ReasonCode expected) {
        for (ProtocolVersion version : ProtocolVersion.values()) {
            byte[] packet = packet(hex.replace("~", version.isMqtt5() ? "00" : ""));
            assertRefused(Wire.connectedServer(version), packet, expected);
        }
    }

    static Stream<Arguments> inMqtt3() {
        return Stream.of(
                arguments("reserved type 15", "f0", MALFORMED_PACKET),
                arguments("[MQTT-4.7.3-1] empty topic", "30 0000", TOPIC_NAME_INVALID),
                arguments("PUBACK with a reason code", "40 0001 00", MALFORMED_PACKET),
                arguments("DISCONNECT with a reason code", "e0 00", MALFORMED_PACKET),
                arguments("[MQTT-3.8.3-4] no local", "82 0001 0001 74 04", MALFORMED_PACKET));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("inMqtt3")
    void refusesPacketWhenOnlyMqtt5HasIt(String name, String hex, ReasonCode expected) {
        assertRefused(Wire.connectedServer(ProtocolVersion.MQTT_3_1), packet(hex), expected);
        assertRefused(Wire.connectedServer(ProtocolVersion.MQTT_3_1_1), packet(hex), expected);
    }

    static Stream<Arguments> inMqtt5() {
        return Stream.of(
                arguments("no topic, no alias", "30 0000 00", PROTOCOL_ERROR),
                arguments("[MQTT-3.3.2-8] alias 0", "30 0001 74 03 23 0000", TOPIC_ALIAS_INVALID),
                arguments("two aliases", "30 0001 74 06 23 0001 23 0001", PROTOCOL_ERROR),
                arguments("[MQTT-3.3.4-6] subscription id", "30 0001 74 02 0b 03", PROTOCOL_ERROR),
                arguments("[MQTT-3.3.2-14] response topic #", "30 0001 74 04 08 0001 23", TOPIC_NAME_INVALID),
                arguments("[MQTT-3.3.2-13] response topic no UTF-8", "30 0001 74 04 08 0001 ff", MALFORMED_PACKET),
                arguments("[MQTT-3.3.2-19] content type no UTF-8", "30 0001 74 04 03 0001 ff", MALFORMED_PACKET),
                arguments("user property with null", "30 0001 74 07 26 0001 6b 0001 00", MALFORMED_PACKET),
                arguments("payload format 2", "30 0001 74 02 01 02", PROTOCOL_ERROR),
                arguments("message expiry twice", "30 0001 74 0a 02 00000005 02 00000006", PROTOCOL_ERROR),
                arguments("two content types", "30 0001 74 08 03 0001 61 03 0001 62", PROTOCOL_ERROR),
                arguments("property of CONNECT", "30 0001 74 05 11 00000005", MALFORMED_PACKET),
                arguments("property of CONNACK", "30 0001 74 03 13 0005", MALFORMED_PACKET),
                arguments("unknown property", "30 0001 74 02 7e 01", MALFORMED_PACKET),
                arguments("property length beyond the end", "30 0001 74 30 01 01", MALFORMED_PACKET),
                arguments("property cut off by its section", "30 0001 74 02 23 00 01", MALFORMED_PACKET),
                arguments("[MQTT-1.5.5-1] property length not minimal", "30 0001 74 80 00", MALFORMED_PACKET),
                arguments("[MQTT-1.5.5-1] property length of 5 bytes", "30 0001 74 ff ff ff ff 01", MALFORMED_PACKET),
                arguments("no property length", "30 0001 74", MALFORMED_PACKET),
                arguments("subscription id 0", "82 0001 02 0b 00 0001 74 00", PROTOCOL_ERROR),
                arguments("two subscription ids", "82 0001 04 0b 01 0b 02 0001 74 00", PROTOCOL_ERROR),
                arguments("retain handling 3", "82 0001 00 0001 74 30", PROTOCOL_ERROR),
                arguments("[MQTT-3.8.3-5] one reserved bit", "82 0001 00 0001 74 40", MALFORMED_PACKET),
                arguments("[MQTT-3.8.3-4] no local, shared", "82 0001 00 000a 2473686172652f672f74 04", PROTOCOL_ERROR),
                arguments("SUBSCRIBE with an alias", "82 0001 03 23 0001 0001 74 00", MALFORMED_PACKET),
                arguments("UNSUBSCRIBE with a subscription id", "a2 0001 02 0b 01 0001 74", PROTOCOL_ERROR),
                arguments("PUBACK: unknown reason code", "40 0001 55", PROTOCOL_ERROR),
                arguments("PUBACK: reason code of DISCONNECT", "40 0001 8e", PROTOCOL_ERROR),
                arguments("PUBACK: no subscribers, from a client", "40 0001 10", PROTOCOL_ERROR),
                arguments("PUBREL: reason code of PUBACK", "62 0001 97", PROTOCOL_ERROR),
                arguments("PUBCOMP: reason code of PUBACK", "70 0001 10", PROTOCOL_ERROR),
                arguments("PUBACK: trailing byte", "40 0001 00 00 00", MALFORMED_PACKET),
                arguments("PUBREC: property of PUBLISH", "50 0001 00 03 23 0001", MALFORMED_PACKET),
                arguments("DISCONNECT: session expiry twice", "e0 00 0a 11 00000005 11 00000005", PROTOCOL_ERROR),
                arguments("DISCONNECT: reason of a server", "e0 8b", PROTOCOL_ERROR),
                arguments("DISCONNECT: server reference", "e0 00 04 1c 0001 78", MALFORMED_PACKET),
                arguments("DISCONNECT: trailing byte", "e0 00 00 00", MALFORMED_PACKET),
                arguments("[MQTT-3.15.1-1] AUTH flags", "f1 18 04 15 0001 58", MALFORMED_PACKET),
                arguments("AUTH without method", "f0 18 00", PROTOCOL_ERROR),
                arguments("AUTH: empty", "f0", MALFORMED_PACKET),
                arguments("AUTH: success from a client", "f0 00 04 15 0001 58", PROTOCOL_ERROR));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("inMqtt5")
    void refusesPacketWhenItIsWrongInMqtt5(String name, String hex, ReasonCode expected) {
        assertRefused(Wire.connectedServer(ProtocolVersion.MQTT_5), packet(hex), expected);
    }

    static Stream<Arguments> fromServer() {
        return Stream.of(
                arguments("CONNECT from a server", "10", PROTOCOL_ERROR),
                arguments("SUBSCRIBE from a server", "82 0001 00 0001 74 00", PROTOCOL_ERROR),
                arguments("PINGREQ from a server", "c0", PROTOCOL_ERROR),
                arguments("[MQTT-3.2.2-1] CONNACK: reserved flags", "20 02 00 00", MALFORMED_PACKET),
                arguments("[MQTT-3.2.2-6] session present, refused", "20 01 87 00", PROTOCOL_ERROR),
                arguments("CONNACK: maximum QoS 2", "20 00 00 02 24 02", PROTOCOL_ERROR),
                arguments("CONNACK: receive maximum 0", "20 00 00 03 21 0000", PROTOCOL_ERROR),
                arguments("CONNACK: reason of DISCONNECT", "20 00 8e 00", PROTOCOL_ERROR),
                arguments("CONNACK: property of PUBLISH", "20 00 00 03 23 0001", MALFORMED_PACKET),
                arguments("SUBACK: unknown reason", "90 0001 00 03", PROTOCOL_ERROR),
                arguments("SUBACK: no reason", "90 0001 00", MALFORMED_PACKET),
                arguments("UNSUBACK: reason of SUBACK", "b0 0001 00 01", PROTOCOL_ERROR),
                arguments("UNSUBACK: no reason", "b0 0001 00", MALFORMED_PACKET),
                arguments("[MQTT-3.14.2-2] session expiry", "e0 00 05 11 00000005", MALFORMED_PACKET),
                arguments("DISCONNECT: with will", "e0 04", PROTOCOL_ERROR),
                arguments("AUTH: re-authenticate", "f0 19 04 15 0001 58", PROTOCOL_ERROR));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fromServer")
    void refusesPacketWhenServerMustNotSendIt(String name, String hex, ReasonCode expected) {
        assertRefused(Wire.client(ProtocolVersion.MQTT_5), packet(hex), expected);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fromServerInMqtt3")
    void refusesPacketWhenMqtt3ServerMustNotSendIt(String name, String hex, ReasonCode expected) {
        assertRefused(Wire.client(ProtocolVersion.MQTT_3_1_1), packet(hex), expected);
    }

    static Stream<Arguments> fromServerInMqtt3() {
        return Stream.of(
                arguments("DISCONNECT", "e0", PROTOCOL_ERROR),
                arguments("CONNACK: return code 6", "20 00 06", MALFORMED_PACKET),
                arguments("CONNACK: trailing byte", "20 00 00 00", MALFORMED_PACKET),
                arguments("SUBACK: return code 3", "90 0001 03", MALFORMED_PACKET),
                arguments("UNSUBACK: reason code", "b0 0001 00", MALFORMED_PACKET));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("firstPackets")
    void refusesFirstPacketWhenItIsNotConnect(String name, String hex, ReasonCode expected) { // [MQTT-3.1.0-1]
        MqttDecoder decoder = new MqttDecoder(DecoderLimits.DEFAULT);
        assertThat(decoder.refusal(assertRefused(decoder, packet(hex), expected)))
                .isNull();
    }

    static Stream<Arguments> firstPackets() {
        return Stream.of(
                arguments("PUBLISH", "30 0001 74 78", PROTOCOL_ERROR),
                arguments("SUBSCRIBE", "82 0001 0001 74 00", PROTOCOL_ERROR),
                arguments("PINGREQ", "c0", PROTOCOL_ERROR),
                arguments("[MQTT-2.1.3-1] CONNECT with flags", "11", MALFORMED_PACKET));
    }

    /** The first byte, the length of what follows, and what follows. */
    private static byte[] packet(String hex) {
        byte[] bytes = Wire.bytes(hex);
        Wire body = Wire.body();
        for (int i = 1; i < bytes.length; i++) {
            body.u8(bytes[i]);
        }
        return body.packet(bytes[0] & 0xFF);
    }
}
