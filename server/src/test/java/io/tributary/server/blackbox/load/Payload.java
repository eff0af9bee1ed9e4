package io.tributary.server.blackbox.load;

import java.nio.ByteBuffer;

/** What is published: who published it and the how manieth it is, and bytes that show whether it is whole. */
record Payload(int publisher, int number) {
    private static final int HEADER_BYTES = 8;
    private static final int MOST_FILLER_BYTES = 300;

    byte[] bytes() {
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + fillerBytes(number));
        bytes.putInt(publisher).putInt(number);
        while (bytes.hasRemaining()) {
            bytes.put(filler(bytes.position()));
        }
        return bytes.array();
    }

    static Payload parse(byte[] data) {
        ByteBuffer bytes = ByteBuffer.wrap(data);
        Payload payload = new Payload(bytes.getInt(), bytes.getInt());
        if (data.length != HEADER_BYTES + fillerBytes(payload.number)) {
            throw new IllegalArgumentException("cut off: " + payload);
        }
        while (bytes.hasRemaining()) {
            int position = bytes.position();
            if (bytes.get() != payload.filler(position)) {
                throw new IllegalArgumentException("damaged: " + payload);
            }
        }
        return payload;
    }

    private static int fillerBytes(int number) {
        return number * 31 % MOST_FILLER_BYTES;
    }

    private byte filler(int position) {
        return (byte) (publisher + number + position);
    }
}
