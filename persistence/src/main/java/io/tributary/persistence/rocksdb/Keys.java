package io.tributary.persistence.rocksdb;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Builds keys. Numbers are big endian, so that keys sort by them; texts within a key carry their length in front, so
 * that none is a prefix of another.
 */
final class Keys {
    private Keys() {}

    static byte[] prefix(int kind, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(3 + utf8.length)
                .put((byte) kind)
                .putShort((short) utf8.length)
                .put(utf8)
                .array();
    }

    static byte[] withShort(byte[] prefix, int number) {
        return extended(prefix, Short.BYTES).putShort((short) number).array();
    }

    static byte[] withLong(byte[] prefix, long number) {
        return extended(prefix, Long.BYTES).putLong(number).array();
    }

    static byte[] withBytes(byte[] prefix, byte[] rest) {
        return extended(prefix, rest.length).put(rest).array();
    }

    /** The number that {@link #withLong} put at the end. */
    static long lastLong(byte[] key) {
        return ByteBuffer.wrap(key).getLong(key.length - Long.BYTES);
    }

    /** The key behind all that begin with the prefix, which does not consist of 0xFF bytes alone. */
    static byte[] endOf(byte[] prefix) {
        int last = prefix.length - 1;
        while (prefix[last] == (byte) 0xFF) {
            last--;
        }
        byte[] end = Arrays.copyOf(prefix, last + 1);
        end[last]++;
        return end;
    }

    private static ByteBuffer extended(byte[] prefix, int bytes) {
        return ByteBuffer.allocate(prefix.length + bytes).put(prefix);
    }
}
