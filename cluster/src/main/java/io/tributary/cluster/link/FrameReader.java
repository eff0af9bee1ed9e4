package io.tributary.cluster.link;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.CorruptedFrameException;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the bytes of a link into frames: four bytes of length, four of CRC-32C over the content, the content. A length
 * of 0 is a heartbeat. Confined to the event loop.
 */
final class FrameReader {
    /** The size of a frame's header: length and CRC. */
    static final int HEADER_BYTES = 8;

    private final CRC32C crc = new CRC32C();
    private int maxBytes;
    private long header;
    private int headerBytes;
    private byte @Nullable [] content;
    private int contentBytes;

    /** Creates a reader of frames of limited size. */
    FrameReader(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Lets later frames be larger, or not. */
    void setMaxBytes(int newMaxBytes) {
        maxBytes = newMaxBytes;
    }

    /**
     * The content of the next frame that is not a heartbeat; null when all bytes were taken before it was complete.
     *
     * @throws CorruptedFrameException when a frame is too large, which shows before memory is taken for it, or damaged
     */
    byte @Nullable [] next(ByteBuf in) {
        while (content != null || takeHeader(in)) {
            byte[] open = content == null ? begin() : content;
            content = open;
            int count = Math.min(open.length - contentBytes, in.readableBytes());
            in.readBytes(open, contentBytes, count);
            contentBytes += count;
            if (contentBytes < open.length) {
                return null;
            }
            content = null;
            headerBytes = 0;
            check(open);
            if (open.length > 0) {
                return open;
            }
        }
        return null;
    }

    private boolean takeHeader(ByteBuf in) {
        if (headerBytes == 0 && in.readableBytes() >= HEADER_BYTES) {
            header = in.readLong();
            headerBytes = HEADER_BYTES;
        }
        while (headerBytes < HEADER_BYTES && in.isReadable()) {
            header = header << 8 | in.readUnsignedByte();
            headerBytes++;
        }
        return headerBytes == HEADER_BYTES;
    }

    private byte[] begin() {
        int length = (int) (header >>> 32);
        if (length < 0 || length > maxBytes) {
            throw new CorruptedFrameException(
                    "a frame of " + (length & 0xFFFF_FFFFL) + " bytes, where " + maxBytes + " are allowed");
        }
        contentBytes = 0;
        return new byte[length];
    }

    private void check(byte[] whole) {
        crc.reset();
        crc.update(whole);
        if ((int) crc.getValue() != (int) header) {
            throw new CorruptedFrameException("a frame of " + whole.length + " bytes was damaged on its way");
        }
    }
}
