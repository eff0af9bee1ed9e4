package io.tributary.common.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/** A sink that appends to a buffer. */
record BufferSink(ByteBuf out) implements Sink {
    @Override
    public void u8(int value) {
        out.writeByte(value);
    }

    @Override
    public void u16(int value) {
        out.writeShort(value);
    }

    @Override
    public void u32(long value) {
        out.writeInt((int) value);
    }

    @Override
    public void varint(int value) {
        Varint.write(value, out);
    }

    @Override
    public void text(String text) {
        int length = Sink.checkedLength(ByteBufUtil.utf8Bytes(text));
        out.writeShort(length);
        ByteBufUtil.reserveAndWriteUtf8(out, text, length);
    }

    @Override
    public void binary(byte[] data) {
        out.writeShort(Sink.checkedLength(data.length));
        out.writeBytes(data);
    }
}
