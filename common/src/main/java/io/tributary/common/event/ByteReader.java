package io.tributary.common.event;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads back what {@link ByteWriter} wrote. Whatever is wrong with the bytes ends in an
 * {@link UnreadableRecordException}, and no length is believed that the bytes left do not bear out.
 */
public final class ByteReader {
    private static final long[] NO_NUMBERS = {};
    private static final int[] NO_INTS = {};

    private final byte[] bytes;
    private int position;
    private int format;
    private List<String> names = List.of();

    /** Creates a reader at the beginning of the bytes, which must not change. */
    public ByteReader(byte[] bytes) {
        this(bytes, 0);
    }

    /** Creates a reader that begins in the middle of the bytes, which must not change. */
    public ByteReader(byte[] bytes, int from) {
        this.bytes = bytes;
        this.position = from;
    }

    /** The first byte of a record says in which format it is. Another record may lie behind it. */
    public void expectFormat(int newestFormat) {
        names = List.of();
        format = readByte();
        if (format < 1 || format > newestFormat) {
            throw UnreadableRecordException.ofFormat(format, newestFormat);
        }
    }

    /** The format of the record, once it was expected. */
    public int format() {
        return format;
    }

    /** A byte, 0 to 255. */
    public int readByte() {
        if (position == bytes.length) {
            throw new UnreadableRecordException("the record is cut off after " + position + " bytes");
        }
        return bytes[position++] & 0xFF;
    }

    /** A number that was written as one. */
    public long readNumber() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = readByte();
            value |= (next & 0x7FL) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw new UnreadableRecordException("a number before position " + position + " does not end");
    }

    /** A number that was an int when it was written. */
    public int readInt() {
        return toInt(readNumber());
    }

    /** A number that was written as signed. */
    public long readSigned() {
        long value = readNumber();
        return (value >>> 1) ^ -(value & 1);
    }

    /** A copy of the bytes. */
    public byte[] readBytes() {
        int start = skip(readLength());
        return Arrays.copyOfRange(bytes, start, position);
    }

    /** A text. */
    public String readString() {
        int start = skip(readLength());
        return new String(bytes, start, position - start, StandardCharsets.UTF_8);
    }

    /** A text that {@link ByteWriter#writeName} wrote. */
    public String readName() {
        int known = readInt();
        if (known < 0 || known > names.size()) {
            throw new UnreadableRecordException("name " + known + " of " + names.size());
        }
        if (known > 0) {
            return names.get(known - 1);
        }
        if (names.isEmpty()) {
            names = new ArrayList<>();
        }
        names.add(readString());
        return names.getLast();
    }

    /** A text or null. */
    @Nullable
    public String readNullableString() {
        return readBoolean() ? readString() : null;
    }

    /** True for every byte but 0. */
    public boolean readBoolean() {
        return readByte() != 0;
    }

    /** Numbers that were written as differences. */
    public long[] readNumbers() {
        int count = readLength();
        if (count == 0) {
            return NO_NUMBERS;
        }
        long[] numbers = new long[count];
        long before = 0;
        for (int i = 0; i < numbers.length; i++) {
            before += readSigned();
            numbers[i] = before;
        }
        return numbers;
    }

    /** Numbers that were ints when they were written as differences. */
    public int[] readInts() {
        long[] numbers = readNumbers();
        if (numbers.length == 0) {
            return NO_INTS;
        }
        int[] ints = new int[numbers.length];
        for (int i = 0; i < ints.length; i++) {
            ints[i] = toInt(numbers[i]);
        }
        return ints;
    }

    /** Elements, each as the function reads it. */
    public <T> List<T> readList(Function<ByteReader, T> readElement) {
        int size = readLength();
        if (size == 0) {
            return List.of();
        }
        List<T> list = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            list.add(readElement.apply(this));
        }
        return list;
    }

    /** Whether all bytes were read. */
    public boolean isAtEnd() {
        return position == bytes.length;
    }

    /** To be called last: a record has nothing behind its end. */
    public void expectEnd() {
        if (position != bytes.length) {
            throw new UnreadableRecordException(
                    "the record ends after " + position + " of its " + bytes.length + " bytes");
        }
    }

    /** How many bytes or elements follow; each takes at least one of the bytes that are left. */
    private int readLength() {
        long count = readNumber();
        if (count < 0 || count > bytes.length - position) {
            throw new UnreadableRecordException(
                    "a length of " + count + " where " + (bytes.length - position) + " bytes are left");
        }
        return (int) count;
    }

    private static int toInt(long value) {
        if (value != (int) value) {
            throw new UnreadableRecordException("the number " + value + " is out of range");
        }
        return (int) value;
    }

    private int skip(int count) {
        int start = position;
        position += count;
        return start;
    }
}
