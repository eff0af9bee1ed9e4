package io.tributary.common.event;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Writes the parts of a record into one growing array. Numbers are varints: 7 bits a byte, the lowest first. */
public final class ByteWriter {
    private static final int LARGEST_INT = 5;
    private static final int MOST_BYTES_A_CHARACTER = 3;

    private byte[] buffer;
    private int length;
    private Map<String, Integer> names = Map.of();

    /**
     * Creates an empty one.
     *
     * @param sizeHint about how long the record will be; a good guess saves the copies of growing
     */
    public ByteWriter(int sizeHint) {
        buffer = new byte[sizeHint];
    }

    /** How many bytes were written. */
    public int size() {
        return length;
    }

    /** The written bytes, in an array of exactly their length. The writer is of no use afterwards. */
    public byte[] toBytes() {
        return length == buffer.length ? buffer : Arrays.copyOf(buffer, length);
    }

    /** The lowest eight bits. */
    public void writeByte(int value) {
        ensureRoom(1);
        buffer[length++] = (byte) value;
    }

    /** One byte. */
    public void writeBoolean(boolean value) {
        writeByte(value ? 1 : 0);
    }

    /** Any number; small ones that are not negative are short. */
    public void writeNumber(long value) {
        ensureRoom(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            buffer[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[length++] = (byte) rest;
    }

    /** Any number; those near zero are short, negative ones too (zig-zag). */
    public void writeSigned(long value) {
        writeNumber((value << 1) ^ (value >> 63));
    }

    /** Any bytes, their number first. */
    public void writeBytes(byte[] bytes) {
        writeNumber(bytes.length);
        ensureRoom(bytes.length);
        System.arraycopy(bytes, 0, buffer, length, bytes.length);
        length += bytes.length;
    }

    /** A text as UTF-8, its length in bytes first. */
    public void writeString(String text) {
        writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** How many bytes {@link #writeString} takes at most. */
    public static int largestSizeOf(String text) {
        return text.length() * MOST_BYTES_A_CHARACTER + LARGEST_INT;
    }

    /**
     * A text that may be in the record several times: only the first time in full, then by its number among such texts.
     */
    public void writeName(String name) {
        Integer known = names.get(name);
        writeNumber(known == null ? 0 : known);
        if (known == null) {
            if (names.isEmpty()) {
                names = new HashMap<>();
            }
            names.put(name, names.size() + 1);
            writeString(name);
        }
    }

    /** One byte more than the text itself tells null from the empty text. */
    public void writeNullableString(@Nullable String text) {
        writeBoolean(text != null);
        if (text != null) {
            writeString(text);
        }
    }

    /** Numbers as differences to the one before: runs cost a byte each. */
    public void writeNumbers(long[] numbers) {
        writeNumber(numbers.length);
        long before = 0;
        for (long number : numbers) {
            writeSigned(number - before);
            before = number;
        }
    }

    /** The number of elements, and each as the function writes it. */
    public <T> void writeList(List<T> list, BiConsumer<ByteWriter, T> writeElement) {
        writeNumber(list.size());
        for (int i = 0; i < list.size(); i++) {
            writeElement.accept(this, list.get(i));
        }
    }

    private void ensureRoom(int bytes) {
        if (buffer.length - length < bytes) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, Math.addExact(length, bytes)));
        }
    }
}
