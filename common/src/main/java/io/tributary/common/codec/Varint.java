package io.tributary.common.codec;

import io.netty.buffer.ByteBuf;

/** The variable byte integer of MQTT: one to four bytes with seven bits each. */
public final class Varint {

    /** The largest value, which is also the largest remaining length of a packet. */
    static final int MAX = 268_435_455;

    private Varint() {}

    /** The number of bytes that a value takes. */
    static int size(int value) {
        if (value < 0 || value > MAX) {
            throw new IllegalArgumentException(value + " is too large for a variable byte integer");
        }
        return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : 4;
    }

    /** Writes a value from 0 to 268,435,455, in as few bytes as it takes. */
    public static void write(int value, ByteBuf out) {
        int left = value;
        while (left >= 0x80) {
            out.writeByte((left & 0x7F) | 0x80);
            left >>>= 7;
        }
        out.writeByte(left);
    }
}
