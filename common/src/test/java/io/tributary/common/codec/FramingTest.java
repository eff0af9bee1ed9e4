package io.tributary.common.codec;

import static io.tributary.common.codec.Codes.assertRefused;
import static io.tributary.common.mqtt.ProtocolVersion.MQTT_3_1;
import static io.tributary.common.mqtt.ProtocolVersion.MQTT_3_1_1;
import static io.tributary.common.mqtt.ProtocolVersion.MQTT_5;
import static io.tributary.common.mqtt.ReasonCode.MALFORMED_PACKET;
import static io.tributary.common.mqtt.ReasonCode.PACKET_TOO_LARGE;
import static io.tributary.common.mqtt.ReasonCode.PROTOCOL_ERROR;
import static io.tributary.common.mqtt.ReasonCode.QUOTA_EXCEEDED;
import static io.tributary.common.mqtt.ReasonCode.TOPIC_NAME_INVALID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.topic.TopicLimits;
import org.junit.jupiter.api.Test;

/** Where packets begin and end, and the limits on what lies between. */
class FramingTest {
    private static final DecoderLimits TIGHT = new DecoderLimits(50, 100, new TopicLimits(8, 3), 16, 2, 3);

    @Test
    void waitsWhenPacketIsIncomplete() {
        MqttDecoder decoder = Wire.connectedServer(MQTT_3_1_1);
        ByteBuf in = Unpooled.buffer();
        for (byte next : Wire.bytes("30 05 0001 74 6869")) {
            assertThat(decoder.decode(in)).isNull();
            assertThat(in.readerIndex()).isZero();
            in.writeByte(next);
        }
        assertThat(decoder.decode(in)).isInstanceOf(Publish.class);
        assertThat(in.isReadable()).isFalse();
    }

    @Test
    void tellsWhatPacketLacksOnceItsRemainingLengthIsHere() {
        ByteBuf whole = Unpooled.wrappedBuffer(Wire.bytes("30 d386 01 00")); // 17,235 bytes behind four
        assertThat(MqttDecoder.missing(whole.slice(0, 0))).isZero();
        assertThat(MqttDecoder.missing(whole.slice(0, 3))).isZero();
        assertThat(MqttDecoder.missing(whole.slice(0, 4))).isEqualTo(17_235);
        assertThat(MqttDecoder.missing(whole)).isEqualTo(17_234);
        assertThat(MqttDecoder.missing(Unpooled.wrappedBuffer(Wire.bytes("c0 00"))))
                .isZero();
        assertThat(MqttDecoder.missing(Unpooled.wrappedBuffer(Wire.bytes("c000 c000"))))
                .isNegative();
        assertThat(MqttDecoder.missing(Unpooled.wrappedBuffer(Wire.bytes("30 ffffffffff"))))
                .as("no remaining length")
                .isZero();
    }

    @Test
    void consumesOnePacketWhenMoreFollow() {
        MqttDecoder decoder = Wire.connectedServer(MQTT_5);
        ByteBuf in = Unpooled.wrappedBuffer(Wire.bytes("c000 620200ff c0"));
        assertThat(decoder.decode(in)).isInstanceOf(Pingreq.class);
        assertThat(decoder.decode(in))
                .isInstanceOfSatisfying(
                        Pubrel.class, p -> assertThat(p.packetId()).isEqualTo(255));
        assertThat(decoder.decode(in)).isNull();
        assertThat(in.readableBytes()).isEqualTo(1);
    }

    @Test
    void refusesAtOnceWhenFirstByteIsWrong() {
        assertRefused(new MqttDecoder(DecoderLimits.DEFAULT), Wire.bytes("30"), PROTOCOL_ERROR); // [MQTT-3.1.0-1]
        assertRefused(new MqttDecoder(DecoderLimits.DEFAULT), Wire.bytes("11"), MALFORMED_PACKET);
        assertRefused(Wire.connectedServer(MQTT_5), Wire.bytes("60"), MALFORMED_PACKET); // [MQTT-3.6.1-1]
        assertRefused(Wire.connectedServer(MQTT_5), Wire.bytes("36"), MALFORMED_PACKET); // [MQTT-3.3.1-4]
        assertRefused(Wire.connectedServer(MQTT_3_1_1), Wire.bytes("f0"), MALFORMED_PACKET);
    }

    @Test
    void refusesRemainingLengthWhenItHasFiveBytes() { // [MQTT-1.5.5-1]
        byte[] header = Wire.bytes("10 ffffffff");
        assertRefused(new MqttDecoder(DecoderLimits.DEFAULT), header, MALFORMED_PACKET);
        assertRefused(Wire.connectedServer(MQTT_5), Wire.bytes("30 80808080"), MALFORMED_PACKET);
    }

    @Test
    void refusesRemainingLengthWhenItIsNotMinimalInMqtt5Only() { // [MQTT-1.5.5-1]
        byte[] ping = Wire.bytes("c0 8000");
        assertRefused(Wire.connectedServer(MQTT_5), ping, MALFORMED_PACKET);
        assertThat(Wire.decode(Wire.connectedServer(MQTT_3_1_1), ping)).isInstanceOf(Pingreq.class);
    }

    @Test
    void refusesPacketWhenFixedHeaderSaysItIsTooLarge() {
        assertRefused(Wire.connectedServer(MQTT_5, TIGHT), Wire.bytes("30 63"), PACKET_TOO_LARGE); // 101 bytes
        assertThat(Wire.tryDecode(Wire.connectedServer(MQTT_5, TIGHT), Wire.bytes("30 62")))
                .isNull();
        assertRefused(Wire.connectedServer(MQTT_5), Wire.bytes("30 ffffff7f"), PACKET_TOO_LARGE);
    }

    @Test
    void refusesConnectWhenItIsLargerThanItsOwnLimit() {
        assertRefused(new MqttDecoder(TIGHT), Wire.bytes("10 31"), PACKET_TOO_LARGE); // 51 bytes
        assertThat(Wire.tryDecode(new MqttDecoder(TIGHT), Wire.bytes("10 30"))).isNull();
    }

    @Test
    void refusesTopicWhenItIsTooLongOrTooDeep() {
        for (String topic : new String[] {"123456789", "a/b/c/d"}) {
            byte[] publish = Wire.body().text(topic).u8(0).packet(0x30);
            assertRefused(Wire.connectedServer(MQTT_5, TIGHT), publish, TOPIC_NAME_INVALID);
        }
    }

    /** Whoever receives it answers each filter by itself [MQTT-3.8.4-1]. */
    @Test
    void leavesTopicFilterToItsReceiverWhenItIsTooLongOrTooDeep() {
        for (String filter : new String[] {"123456789", "a/b/c/d"}) {
            byte[] subscribe = Wire.body().u16(1).u8(0).text(filter).u8(0).packet(0x82);
            assertThat(Wire.decode(Wire.connectedServer(MQTT_5, TIGHT), subscribe))
                    .isInstanceOfSatisfying(
                            Subscribe.class,
                            s -> assertThat(s.subscriptions())
                                    .singleElement()
                                    .satisfies(
                                            entry -> assertThat(entry.filter()).isEqualTo(filter)));
        }
    }

    @Test
    void refusesSubscribeWhenItHasTooManyFilters() {
        Wire subscribe = Wire.body().u16(1).u8(0);
        for (int i = 0; i < 3; i++) {
            subscribe.text("t").u8(0);
        }
        assertThat(Wire.decode(Wire.connectedServer(MQTT_5, TIGHT), subscribe.packet(0x82)))
                .isInstanceOfSatisfying(
                        Subscribe.class, s -> assertThat(s.subscriptions()).hasSize(3));
        byte[] four = subscribe.text("t").u8(0).packet(0x82);
        assertRefused(Wire.connectedServer(MQTT_5, TIGHT), four, QUOTA_EXCEEDED);
    }

    @Test
    void acceptsDupOfRequestsWhenVersionIsMqtt31() { // section 2.1 of MQTT 3.1
        byte[] pubrel = Wire.bytes("6a 02 0001");
        assertThat(Wire.decode(Wire.connectedServer(MQTT_3_1), pubrel)).isInstanceOf(Pubrel.class);
        assertRefused(Wire.connectedServer(MQTT_3_1_1), pubrel, MALFORMED_PACKET);
    }

    @Test
    void givesSameStringWhenTopicIsRepeated() {
        MqttDecoder decoder = Wire.connectedServer(MQTT_3_1_1);
        assertThat(topic(decoder, "a/b")).isSameAs(topic(decoder, "a/b")).isEqualTo("a/b");
        assertThat(topic(decoder, "a/c")).isEqualTo("a/c");
        assertThat(topic(decoder, "a/cc")).isEqualTo("a/cc");
        assertThat(topic(decoder, "a/\u00e9")).isEqualTo("a/\u00e9");
        assertThat(topic(decoder, "a/\u00e9")).isEqualTo("a/\u00e9");
    }

    @Test
    void doesNotRememberTopicWhenItIsLong() {
        MqttDecoder decoder = Wire.connectedServer(MQTT_3_1_1);
        String topic = "t".repeat(257);
        assertThat(topic(decoder, topic)).isEqualTo(topic).isNotSameAs(topic(decoder, topic));
    }

    @Test
    void keepsSpecialCharactersWhenTheyAreValid() { // [MQTT-1.5.4-3]: U+FEFF stays; U+FFFD was really sent
        for (String topic : new String[] {"\ufeffa", "\ufffd", "\ud83d\ude00/\u4e2d", "\u007f", "\uffff"}) {
            assertThat(topic(Wire.connectedServer(MQTT_5), topic)).isEqualTo(topic);
        }
    }

    @Test
    void doesNotReadPastPacketWhenMoreBytesFollow() {
        // The topic would end in the next packet.
        ByteBuf in = Unpooled.wrappedBuffer(Wire.bytes("30 04 0004 6162 c000 c000"));
        assertThatThrownBy(() -> Wire.connectedServer(MQTT_3_1_1).decode(in)).hasMessageContaining("middle of a field");
    }

    private static String topic(MqttDecoder decoder, String topic) {
        Wire body = Wire.body().text(topic);
        boolean mqtt5 = decoder.version() == MQTT_5;
        return ((Publish) Wire.decode(decoder, (mqtt5 ? body.u8(0) : body).packet(0x30))).topic();
    }
}
