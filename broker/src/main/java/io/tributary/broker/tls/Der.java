package io.tributary.broker.tls;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A value of ASN.1 in its DER encoding, as far as certificates and questions about them need it.
 *
 * @param content without tag and length
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared or modified
record Der(int tag, byte[] content) {
    static final int INTEGER = 0x02;
    static final int OCTETS = 0x04;
    static final int SEQUENCE = 0x30;

    private static final int LONG_LENGTH = 0x80;
    private static final int BYTE = 0xFF;

    /** A value with these parts, one behind the other. */
    static byte[] encode(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(tag);
        int length = content.size();
        if (length < LONG_LENGTH) {
            whole.write(length);
        } else {
            whole.write(LONG_LENGTH | 2);
            whole.write(length >> Byte.SIZE);
            whole.write(length);
        }
        whole.writeBytes(content.toByteArray());
        return whole.toByteArray();
    }

    /**
     * The values that bytes are, one behind the other.
     *
     * @throws IllegalArgumentException when they are none
     */
    static List<Der> decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        List<Der> values = new ArrayList<>();
        while (in.hasRemaining()) {
            int tag = in.get() & BYTE;
            byte[] content = new byte[length(in)];
            in.get(content);
            values.add(new Der(tag, content));
        }
        return values;
    }

    private static int length(ByteBuffer in) {
        int first = in.hasRemaining() ? in.get() & BYTE : -1;
        int count = first & ~LONG_LENGTH;
        if (first < 0 || (first >= LONG_LENGTH && (count < 1 || count > 3 || count > in.remaining()))) {
            throw new IllegalArgumentException("not DER");
        }
        int length = first;
        if (first >= LONG_LENGTH) {
            length = 0;
            for (int i = 0; i < count; i++) {
                length = (length << Byte.SIZE) | (in.get() & BYTE);
            }
        }
        if (length > in.remaining()) {
            throw new IllegalArgumentException("DER that ends early");
        }
        return length;
    }

    /** What a sequence consists of. */
    List<Der> parts() {
        return decode(content);
    }
}
