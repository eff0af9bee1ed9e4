package io.tributary.common.codec;

import static io.tributary.common.mqtt.ReasonCode.MALFORMED_PACKET;
import static io.tributary.common.mqtt.ReasonCode.PROTOCOL_ERROR;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the data types of MQTT (section 1.5) out of the body of one packet after the other. It never reads past the end
 * of the body: a field that would reach past it makes the packet malformed.
 */
final class WireReader {
    private static final byte[] NO_BYTES = {};

    private ByteBuf in = Unpooled.EMPTY_BUFFER;
    private int at;
    private int end;

    /** Starts a body that lies between two indexes of the buffer. */
    void begin(ByteBuf buffer, int from, int to) {
        in = buffer;
        at = from;
        end = to;
    }

    /** Lets go of the buffer. */
    void release() {
        in = Unpooled.EMPTY_BUFFER;
        at = 0;
        end = 0;
    }

    /** The number of bytes left of the body or of the section that was entered. */
    int remaining() {
        return end - at;
    }

    /** Narrows the body to its next bytes; returns where it ended, for {@link #leave}. */
    int enter(int length) {
        require(length);
        int outerEnd = end;
        end = at + length;
        return outerEnd;
    }

    /** Widens the body again after all of a section was read. */
    void leave(int outerEnd) {
        end = outerEnd;
    }

    /** Checks that nothing is left of the body. */
    void requireEnd() {
        if (at != end) {
            throw malformed("packet has trailing bytes");
        }
    }

    /** Reads a byte, 0 to 255. */
    int u8() {
        require(1);
        return in.getByte(at++) & 0xFF;
    }

    /** Reads a two byte integer. */
    int u16() {
        require(2);
        int value = in.getUnsignedShort(at);
        at += 2;
        return value;
    }

    /** Reads a four byte integer. */
    long u32() {
        require(4);
        long value = in.getUnsignedInt(at);
        at += 4;
        return value;
    }

    /** Reads a variable byte integer, which must take as few bytes as possible [MQTT-1.5.5-1]. */
    int varint() {
        int value = 0;
        for (int shift = 0; shift <= 21; shift += 7) {
            int next = u8();
            value |= (next & 0x7F) << shift;
            if (next < 0x80) {
                if (next == 0 && shift > 0) {
                    throw malformed("variable byte integer is not minimal [MQTT-1.5.5-1]");
                }
                return value;
            }
        }
        throw malformed("variable byte integer has more than four bytes [MQTT-1.5.5-1]");
    }

    /** Reads a packet identifier, which must not be 0 [MQTT-2.2.1-3]. */
    int packetId() {
        int id = u16();
        if (id == 0) {
            throw new MqttException(PROTOCOL_ERROR, "packet identifier is 0 [MQTT-2.2.1-3]");
        }
        return id;
    }

    /** Reads a UTF-8 string. */
    String text() {
        return utf8(binary());
    }

    /** Reads the bytes of a UTF-8 string that is not yet checked, unless it is longer than a limit. */
    byte[] uncheckedText(int maxBytes, ReasonCode reasonIfLonger) {
        int length = u16();
        require(length);
        if (length > maxBytes) {
            throw new MqttException(reasonIfLonger, "string of more than " + maxBytes + " bytes");
        }
        return bytes(length);
    }

    /** Turns bytes into a string, if they are UTF-8 as MQTT wants it. */
    static String utf8(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf('\0') >= 0) {
            throw malformed("string has a null character [MQTT-1.5.4-2]");
        }
        if (text.indexOf('\uFFFD') >= 0) { // sent as such, or put in place of what is no UTF-8
            checkStrictly(bytes);
        }
        return text;
    }

    /** Reads binary data. */
    byte[] binary() {
        return bytes(u16());
    }

    /** Reads all that is left. */
    byte[] rest() {
        return bytes(remaining());
    }

    private byte[] bytes(int length) {
        require(length);
        if (length == 0) {
            return NO_BYTES;
        }
        byte[] bytes = new byte[length];
        in.getBytes(at, bytes);
        at += length;
        return bytes;
    }

    private static void checkStrictly(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
        } catch (CharacterCodingException e) {
            throw malformed("string is not UTF-8 [MQTT-1.5.4-1]");
        }
    }

    private void require(int bytes) {
        if (end - at < bytes) {
            throw malformed("packet ends in the middle of a field");
        }
    }

    static MqttException malformed(String words) {
        return new MqttException(MALFORMED_PACKET, words);
    }
}
