package io.tributary.common.codec;

import io.netty.buffer.ByteBufUtil;

/** A sink that counts bytes. */
final class SizeSink implements Sink {
    private int bytes;

    /** The number of bytes so far. */
    int bytes() {
        return bytes;
    }

    @Override
    public void u8(int value) {
        bytes++;
    }

    @Override
    public void u16(int value) {
        bytes += 2;
    }

    @Override
    public void u32(long value) {
        bytes += 4;
    }

    @Override
    public void varint(int value) {
        bytes += Varint.size(value);
    }

    @Override
    public void text(String text) {
        bytes += 2 + Sink.checkedLength(ByteBufUtil.utf8Bytes(text));
    }

    @Override
    public void binary(byte[] data) {
        bytes += 2 + Sink.checkedLength(data.length);
    }
}
