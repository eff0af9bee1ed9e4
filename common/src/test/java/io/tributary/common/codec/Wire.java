package io.tributary.common.codec;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.ProtocolVersion;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Writes bytes by hand, right or wrong, for tests of the codec; it shares no code with what it tests. */
final class Wire {
    static final int ANY_SIZE = ConnectProperties.LARGEST_PACKET;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private Wire() {}

    static Wire body() {
        return new Wire();
    }

    Wire u8(int value) {
        bytes.write(value);
        return this;
    }

    Wire u16(int value) {
        return u8(value >> 8).u8(value);
    }

    Wire u32(long value) {
        return u16((int) (value >> 16)).u16((int) value);
    }

    Wire text(String text) {
        return binary(text.getBytes(StandardCharsets.UTF_8));
    }

    Wire binary(byte... data) {
        return u16(data.length).raw(data);
    }

    Wire raw(byte... data) {
        bytes.writeBytes(data);
        return this;
    }

    Wire hex(String hex) {
        return raw(Wire.bytes(hex));
    }

    /** Adds a property section with its length. */
    Wire properties(Wire section) {
        byte[] data = section.bytes.toByteArray();
        return varint(data.length).raw(data);
    }

    /** Adds a property section with its length, or nothing in MQTT 3. */
    Wire properties(ProtocolVersion version, Wire section) {
        return version.isMqtt5() ? properties(section) : this;
    }

    /** The body as a packet with the given first byte. */
    byte[] packet(int firstByte) {
        return new Wire().u8(firstByte).properties(this).bytes.toByteArray();
    }

    private Wire varint(int value) {
        int left = value;
        for (; left > 127; left >>= 7) {
            u8((left & 127) | 128);
        }
        return u8(left);
    }

    static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    static String hex(ByteBuf buffer) {
        byte[] data = new byte[buffer.readableBytes()];
        buffer.getBytes(buffer.readerIndex(), data);
        return HexFormat.of().formatHex(data);
    }

    static Connect connect(ProtocolVersion version) {
        return new Connect(version, true, 60, "c", null, null, null, ConnectProperties.defaults(0));
    }

    /** The decoder of a server to which a client has sent CONNECT. */
    static MqttDecoder connectedServer(ProtocolVersion version, DecoderLimits limits) {
        MqttDecoder decoder = new MqttDecoder(limits);
        decoder.decode(Unpooled.wrappedBuffer(encode(version, connect(version))));
        return decoder;
    }

    static MqttDecoder connectedServer(ProtocolVersion version) {
        return connectedServer(version, DecoderLimits.DEFAULT);
    }

    static MqttDecoder client(ProtocolVersion version) {
        return MqttDecoder.forClient(version, DecoderLimits.DEFAULT);
    }

    static byte[] encode(ProtocolVersion version, MqttPacket packet) {
        ByteBuf out = Unpooled.buffer();
        new MqttEncoder(version, ANY_SIZE).encode(packet, out);
        byte[] data = new byte[out.readableBytes()];
        out.readBytes(data);
        return data;
    }

    /** Decodes what may be less than a packet. */
    static @Nullable MqttPacket tryDecode(MqttDecoder decoder, byte... data) {
        return decoder.decode(Unpooled.wrappedBuffer(data));
    }

    /** Decodes what is a whole packet. */
    static MqttPacket decode(MqttDecoder decoder, byte... data) {
        return requireNonNull(tryDecode(decoder, data));
    }
}
