package io.tributary.common.codec;

import static io.tributary.common.codec.Codes.assertRefused;
import static io.tributary.common.mqtt.ProtocolVersion.MQTT_3_1;
import static io.tributary.common.mqtt.ProtocolVersion.MQTT_3_1_1;
import static io.tributary.common.mqtt.ProtocolVersion.MQTT_5;
import static io.tributary.common.mqtt.ReasonCode.CLIENT_IDENTIFIER_NOT_VALID;
import static io.tributary.common.mqtt.ReasonCode.MALFORMED_PACKET;
import static io.tributary.common.mqtt.ReasonCode.PROTOCOL_ERROR;
import static io.tributary.common.mqtt.ReasonCode.QUOTA_EXCEEDED;
import static io.tributary.common.mqtt.ReasonCode.TOPIC_NAME_INVALID;
import static io.tributary.common.mqtt.ReasonCode.UNSUPPORTED_PROTOCOL_VERSION;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.UserProperty;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ConnectDecodingTest {
    private static final int CLEAN = 0x02;

    private final MqttDecoder decoder = new MqttDecoder(DecoderLimits.DEFAULT);

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void learnsVersionWhenConnectIsDecoded(ProtocolVersion version) {
        assertThat(decoder.version()).isNull();
        Connect connect = (Connect) decode(head(version, CLEAN).text("client"));
        assertThat(connect.version()).isEqualTo(version);
        assertThat(connect.cleanStart()).isTrue();
        assertThat(connect.keepAliveSeconds()).isEqualTo(60);
        assertThat(connect.clientId()).isEqualTo("client");
        assertThat(connect.will()).isNull();
        assertThat(connect.properties()).isEqualTo(ConnectProperties.defaults(0));
        assertThat(decoder.version()).isEqualTo(version);
    }

    @Test
    void neverExpiresWhenMqtt3SessionIsNotClean() {
        Connect connect = (Connect) decode(head(MQTT_3_1_1, 0).text("client"));
        assertThat(connect.properties().sessionExpirySeconds()).isEqualTo(ConnectProperties.NEVER_EXPIRES);
    }

    @Test
    void readsWillUserNameAndPasswordWhenFlagsSaySo() {
        Wire body = head(MQTT_3_1_1, 0xC0 | 0x20 | 0x10 | 0x04)
                .text("client")
                .text("gone/client")
                .hex("0003 010203")
                .text("user")
                .hex("0002 fffe");
        Connect connect = (Connect) decode(body);
        assertThat(requireNonNull(connect.will()).message().topic()).isEqualTo("gone/client");
        assertThat(requireNonNull(connect.will()).message().payload()).containsExactly(1, 2, 3);
        assertThat(requireNonNull(connect.will()).message().qos()).isEqualTo(QoS.EXACTLY_ONCE);
        assertThat(requireNonNull(connect.will()).message().retain()).isTrue();
        assertThat(requireNonNull(connect.will()).message().publisher()).isEqualTo("client");
        assertThat(connect.userName()).isEqualTo("user");
        assertThat(connect.password()).containsExactly(0xFF, 0xFE);
    }

    @Test
    void readsAllPropertiesWhenMqtt5() {
        Wire properties = Wire.body()
                .hex("11 ffffffff 21 0005 27 00000100 22 000a 19 01 17 00")
                .u8(0x15)
                .text("SCRAM")
                .hex("16 0001 07")
                .u8(0x26)
                .text("k")
                .text("v1")
                .u8(0x26)
                .text("k")
                .text("v2");
        Connect connect =
                (Connect) decode(protocol(MQTT_5, CLEAN).properties(properties).text(""));
        assertThat(connect.properties())
                .usingRecursiveComparison()
                .isEqualTo(new ConnectProperties(
                        ConnectProperties.NEVER_EXPIRES,
                        5,
                        256,
                        10,
                        true,
                        false,
                        "SCRAM",
                        new byte[] {7},
                        List.of(new UserProperty("k", "v1"), new UserProperty("k", "v2"))));
    }

    @Test
    void readsWillPropertiesWhenMqtt5() {
        Wire properties = Wire.body()
                .hex("18 0000000a 02 00000014 01 01 09 0001 ff")
                .u8(0x08)
                .text("reply");
        Wire body = head(MQTT_5, CLEAN | 0x04)
                .text("c")
                .properties(properties)
                .text("w")
                .hex("0000");
        Connect connect = (Connect) decode(body);
        assertThat(requireNonNull(connect.will()).delaySeconds()).isEqualTo(10);
        assertThat(requireNonNull(connect.will()).messageExpirySeconds()).isEqualTo(20);
        assertThat(requireNonNull(connect.will()).message().properties().payloadFormat())
                .isEqualTo(PayloadFormat.UTF_8);
        assertThat(requireNonNull(connect.will()).message().properties().responseTopic())
                .isEqualTo("reply");
        assertThat(requireNonNull(connect.will()).message().properties().correlationData())
                .containsExactly(0xFF);
    }

    @Test
    void acceptsPasswordWithoutUserNameWhenMqtt5() {
        Connect connect = (Connect) decode(head(MQTT_5, CLEAN | 0x40).text("c").text("secret"));
        assertThat(connect.userName()).isNull();
        assertThat(connect.password()).isNotNull();
    }

    @Test
    void capsMaximumPacketSizeWhenItExceedsWhatMqttHas() {
        Wire properties = Wire.body().hex("27 ffffffff");
        Connect connect =
                (Connect) decode(protocol(MQTT_5, CLEAN).properties(properties).text(""));
        assertThat(connect.properties().maximumPacketSize()).isEqualTo(ConnectProperties.LARGEST_PACKET);
    }

    @Test
    void acceptsEmptyClientIdWhenVersionAllowsIt() { // [MQTT-3.1.3-6], [MQTT-3.1.3-7]
        assertThat(decode(head(MQTT_3_1_1, CLEAN).text(""))).isInstanceOf(Connect.class);
        MqttDecoder another = new MqttDecoder(DecoderLimits.DEFAULT);
        assertThat(Wire.decode(another, head(MQTT_5, 0).text("").packet(0x10))).isInstanceOf(Connect.class);
    }

    static Stream<Arguments> malformedInEveryVersion() {
        return Stream.of(
                violation(
                        "[MQTT-3.1.2-3] reserved flag",
                        CLEAN | 0x01,
                        Wire.body().text("c"),
                        MALFORMED_PACKET),
                violation("[MQTT-3.1.2-12] will QoS 3", CLEAN | 0x1C, will("w"), MALFORMED_PACKET),
                violation(
                        "[MQTT-3.1.2-11] will QoS, no will",
                        CLEAN | 0x08,
                        Wire.body().text("c"),
                        MALFORMED_PACKET),
                violation(
                        "[MQTT-3.1.2-13] retain, no will",
                        CLEAN | 0x20,
                        Wire.body().text("c"),
                        MALFORMED_PACKET),
                violation(
                        "[MQTT-3.1.2-9] will missing", CLEAN | 0x04, Wire.body().text("c"), MALFORMED_PACKET),
                violation(
                        "[MQTT-3.1.2-16] user name, no flag",
                        CLEAN,
                        Wire.body().text("c").text("u"),
                        MALFORMED_PACKET),
                violation("[MQTT-3.1.3-3] no client id", CLEAN, Wire.body(), MALFORMED_PACKET),
                violation(
                        "[MQTT-3.1.3-4] client id no UTF-8", CLEAN, Wire.body().hex("0003 78c328"), MALFORMED_PACKET),
                violation("[MQTT-1.5.4-2] null character", CLEAN, Wire.body().text("x\0y"), MALFORMED_PACKET),
                violation(
                        "[MQTT-3.1.3-12] user name no UTF-8",
                        CLEAN | 0xC0,
                        Wire.body().text("c").hex("0003 75c080 0001 70"),
                        MALFORMED_PACKET));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("malformedInEveryVersion")
    void refusesConnectWhenPayloadDoesNotFitFlags(String name, int flags, Wire payload, ReasonCode expected) {
        for (ProtocolVersion version : ProtocolVersion.values()) {
            MqttDecoder fresh = new MqttDecoder(DecoderLimits.DEFAULT);
            byte[] packet = head(version, flags).raw(payloadBytes(payload)).packet(0x10);
            MqttException failure = assertRefused(fresh, packet, expected);
            Connack answer = fresh.refusal(failure);
            if (version.isMqtt5()) { // [MQTT-3.1.4-1]
                assertThat(requireNonNull(answer).reason()).isEqualTo(expected);
            } else { // no return code of MQTT 3 says so
                assertThat(answer).isNull();
            }
        }
    }

    static Stream<Arguments> badProperties() {
        return Stream.of(
                arguments("receive maximum 0", "21 0000", PROTOCOL_ERROR),
                arguments("maximum packet size 0", "27 00000000", PROTOCOL_ERROR),
                arguments("session expiry twice", "11 00000001 11 00000001", PROTOCOL_ERROR),
                arguments("receive maximum twice", "21 0005 21 0005", PROTOCOL_ERROR),
                arguments("request problem information 2", "17 02", PROTOCOL_ERROR),
                arguments("request response information 2", "19 02", PROTOCOL_ERROR),
                arguments("authentication data without method", "16 0001 78", PROTOCOL_ERROR),
                arguments("unknown property", "7f 00", MALFORMED_PACKET),
                arguments("unknown property in a gap", "04 00", MALFORMED_PACKET),
                arguments("property of PUBLISH", "23 0001", MALFORMED_PACKET),
                arguments("property cut short", "11 0000", MALFORMED_PACKET),
                arguments("[MQTT-1.5.7-1] user property no UTF-8", "26 0002 6bff 0001 76", MALFORMED_PACKET),
                arguments("[MQTT-1.5.5-1] identifier not minimal", "91 00 00000001", MALFORMED_PACKET));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badProperties")
    void refusesConnectWhenPropertyIsWrong(String name, String properties, ReasonCode expected) {
        Wire body =
                protocol(MQTT_5, CLEAN).properties(Wire.body().hex(properties)).text("c");
        MqttException failure = assertRefused(decoder, body.packet(0x10), expected);
        assertThat(requireNonNull(decoder.refusal(failure)).reason()).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badWillProperties")
    void refusesConnectWhenWillPropertyIsWrong(String name, String properties, ReasonCode expected) {
        Wire body = head(MQTT_5, CLEAN | 0x04)
                .text("c")
                .properties(Wire.body().hex(properties))
                .text("w")
                .hex("0000");
        assertRefused(decoder, body.packet(0x10), expected);
    }

    static Stream<Arguments> badWillProperties() {
        return Stream.of(
                arguments("will delay twice", "18 00000001 18 00000001", PROTOCOL_ERROR),
                arguments("payload format 2", "01 02", PROTOCOL_ERROR),
                arguments("property of CONNECT", "21 0005", MALFORMED_PACKET),
                arguments("topic alias", "23 0001", MALFORMED_PACKET),
                arguments("[MQTT-3.3.2-14] response topic with wildcard", "08 0001 23", TOPIC_NAME_INVALID));
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void refusesConnectWhenWillTopicIsInvalid(ProtocolVersion version) { // [MQTT-4.7.0-1], [MQTT-4.7.3-1]
        for (String topic : List.of("", "w/#", "+")) {
            Wire body = head(version, CLEAN | 0x04)
                    .text("c")
                    .properties(version, Wire.body())
                    .text(topic)
                    .hex("0000");
            assertRefused(new MqttDecoder(DecoderLimits.DEFAULT), body.packet(0x10), TOPIC_NAME_INVALID);
        }
    }

    @Test
    void refusesPasswordWhenMqtt3HasNoUserName() { // [MQTT-3.1.2-22]
        assertRefused(
                decoder, head(MQTT_3_1_1, CLEAN | 0x40).text("c").text("p").packet(0x10), MALFORMED_PACKET);
    }

    @Test // MQTT 3.1, section 3.1: the remaining length takes precedence over the flags
    void takesUserNameOrPasswordAsMissingWhenMqtt31PacketEndsBeforeIt() {
        Connect without = (Connect) decode(head(MQTT_3_1, CLEAN | 0xC0).text("c"));
        assertThat(without.userName()).isNull();
        assertThat(without.password()).isNull();

        MqttDecoder another = new MqttDecoder(DecoderLimits.DEFAULT);
        Connect withUser = (Connect) Wire.decode(
                another, head(MQTT_3_1, CLEAN | 0xC0).text("c").text("u").packet(0x10));
        assertThat(withUser.userName()).isEqualTo("u");
        assertThat(withUser.password()).isNull();
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"MQTT_3_1_1", "MQTT_5"})
    void refusesConnectThatEndsBeforeItsUserNameOrPassword(ProtocolVersion version) {
        byte[] withoutUserName = head(version, CLEAN | 0x80).text("c").packet(0x10);
        byte[] withoutPassword = head(version, CLEAN | 0xC0).text("c").text("u").packet(0x10);
        // [MQTT-3.1.2-17], [MQTT-3.1.2-19]
        assertRefused(new MqttDecoder(DecoderLimits.DEFAULT), withoutUserName, MALFORMED_PACKET);
        assertRefused(new MqttDecoder(DecoderLimits.DEFAULT), withoutPassword, MALFORMED_PACKET);
    }

    @Test
    void answersIdentifierRejectedWhenMqtt3ClientIdIsEmpty() { // [MQTT-3.1.3-8]
        MqttException failure =
                assertRefused(decoder, head(MQTT_3_1_1, 0).text("").packet(0x10), CLIENT_IDENTIFIER_NOT_VALID);
        assertThat(refusalBytes(decoder, failure)).isEqualTo("20020002");
    }

    @Test
    void refusesEmptyClientIdWhenVersionIsMqtt31() {
        assertRefused(decoder, head(MQTT_3_1, CLEAN).text("").packet(0x10), CLIENT_IDENTIFIER_NOT_VALID);
    }

    static Stream<Arguments> unsupportedProtocols() { // [MQTT-3.1.2-1], [MQTT-3.1.2-2]
        return Stream.of(
                arguments("MQTT", 99, "20"),
                arguments("MQTT", 6, "20"),
                arguments("MQTT", 3, "20020001"),
                arguments("MQTT", 0, "20020001"),
                arguments("MQTT", 0x84, "20020001"),
                arguments("MQIsdp", 4, "20020001"),
                arguments("MQQT", 4, null),
                arguments("", 5, null));
    }

    @ParameterizedTest
    @MethodSource("unsupportedProtocols")
    void answersInNearestVersionWhenProtocolIsUnsupported(String name, int level, @Nullable String answer) {
        byte[] packet =
                Wire.body().text(name).u8(level).u8(CLEAN).u16(60).text("c").packet(0x10);
        MqttException failure = assertRefused(decoder, packet, UNSUPPORTED_PROTOCOL_VERSION);
        if (answer == null) {
            assertThat(decoder.refusal(failure)).isNull();
        } else {
            assertThat(refusalBytes(decoder, failure)).startsWith(answer);
        }
    }

    @Test
    void answersNothingWhenConnectWasAcceptedBefore() { // [MQTT-3.1.0-2]
        decode(head(MQTT_5, CLEAN).text("c"));
        MqttException failure =
                assertRefused(decoder, head(MQTT_5, CLEAN).text("c").packet(0x10), PROTOCOL_ERROR);
        assertThat(decoder.refusal(failure)).isNull();
    }

    @Test
    void refusesPropertiesWhenLimitsAreExceeded() {
        DecoderLimits tight = new DecoderLimits(1000, 1000, DecoderLimits.DEFAULT.topics(), 20, 2, 10);
        Wire three = Wire.body().hex("26 0000 0000 26 0000 0000 26 0000 0000");
        Wire long21 = Wire.body().u8(0x26).text("0123456789").text("012345");
        for (Wire section : List.of(three, long21)) {
            byte[] packet =
                    protocol(MQTT_5, CLEAN).properties(section).text("c").packet(0x10);
            assertRefused(new MqttDecoder(tight), packet, QUOTA_EXCEEDED);
        }
    }

    private static Arguments violation(String name, int flags, Wire payload, ReasonCode expected) {
        return arguments(name, flags, payload, expected);
    }

    /** A client id and a will without properties, in the form of MQTT 3. */
    private static Wire will(String topic) {
        return Wire.body().text("c").text(topic).hex("0000");
    }

    private static byte[] payloadBytes(Wire payload) {
        byte[] packet = payload.packet(0);
        return Arrays.copyOfRange(packet, 2, packet.length);
    }

    private static Wire protocol(ProtocolVersion version, int flags) {
        return Wire.body()
                .text(version.protocolName())
                .u8(version.level())
                .u8(flags)
                .u16(60);
    }

    private static Wire head(ProtocolVersion version, int flags) {
        return protocol(version, flags).properties(version, Wire.body());
    }

    private MqttPacket decode(Wire body) {
        return Wire.decode(decoder, body.packet(0x10));
    }

    private static String refusalBytes(MqttDecoder decoder, MqttException failure) {
        Connack answer = requireNonNull(decoder.refusal(failure));
        return HexFormat.of().formatHex(Wire.encode(requireNonNull(decoder.version()), answer));
    }
}
