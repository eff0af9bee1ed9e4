package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.tributary.common.codec.MqttDecoder;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import org.jspecify.annotations.Nullable;

/**
 * What came from one socket and is not decoded yet. Of a read that ends a packet, only what the packet lacks is copied
 * behind its beginning; the packets behind it are decoded where they are. Example: 5 kB of a packet of 20 kB are here,
 * and a read brings 64 kB: 15 kB are copied. Confined to the event loop.
 */
final class ReceivedBytes {
    private final ByteBufAllocator allocator;
    private @Nullable ByteBuf first;
    /** Behind {@link #first}; there only from {@link #add} to {@link #keepRest}. */
    private @Nullable ByteBuf behind;

    private int packetBytes;

    ReceivedBytes(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Takes what was read. */
    void add(ByteBuf in) {
        if (first == null) {
            first = in;
        } else if (behind != null) {
            behind = join(behind, in);
        } else {
            int missing = MqttDecoder.missing(first);
            boolean isEnd = missing > 0 && missing < in.readableBytes();
            ByteBuf more = isEnd ? in.readRetainedSlice(missing) : in;
            behind = isEnd ? in : null; // before they are joined, for which there may be no memory
            first = join(first, more);
        }
    }

    /**
     * Takes the next packet.
     *
     * @return null when it is not here in full
     * @throws MqttException when MQTT or a limit forbids the packet
     */
    @Nullable
    MqttPacket next(MqttDecoder decoder) {
        advance();
        if (first == null) {
            return null;
        }
        int before = first.readableBytes();
        MqttPacket packet = decoder.decode(first);
        packetBytes = before - first.readableBytes();
        return packet;
    }

    /** How many bytes the packet had that was taken last. */
    int packetBytes() {
        return packetBytes;
    }

    /** Whether the next packet is here in full, and too large not to be counted. */
    boolean hasLarge() {
        advance();
        if (first == null || first.readableBytes() <= UnfinishedPackets.FREE_BYTES) {
            return false;
        }
        int missing = MqttDecoder.missing(first);
        return missing <= 0 && first.readableBytes() + missing > UnfinishedPackets.FREE_BYTES;
    }

    /** What is here, to look ahead in: nothing is taken by it. Null when there is nothing. */
    @Nullable
    ByteBuf view() {
        return first == null ? null : first.duplicate();
    }

    /** How many bytes are here. */
    int size() {
        return first == null ? 0 : first.readableBytes();
    }

    /** How many bytes the buffer takes that they are in. */
    int memory() {
        return first == null ? 0 : first.capacity();
    }

    /** Nothing more is taken of what was read: what is left is kept in one buffer that is not much larger. */
    void keepRest() {
        advance();
        if (first == null) {
            return;
        }
        if (behind != null) {
            ByteBuf more = behind;
            behind = null; // who joins releases it, also without memory
            first = join(first, more);
        }
        if (first.capacity() > UnfinishedPackets.FREE_BYTES && first.readableBytes() <= UnfinishedPackets.FREE_BYTES) {
            ByteBuf rest = allocator.ioBuffer(first.readableBytes()).writeBytes(first);
            first.release();
            first = rest; // in no larger a buffer than is counted for it
        } else {
            first.discardSomeReadBytes();
        }
    }

    /** What is behind is the first when nothing is left of that. */
    private void advance() {
        if (first != null && !first.isReadable()) {
            first.release();
            first = behind;
            behind = null;
        }
    }

    void release() {
        if (first != null) {
            first.release();
            first = null;
        }
        if (behind != null) {
            behind.release();
            behind = null;
        }
    }

    private ByteBuf join(ByteBuf before, ByteBuf more) {
        return ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(allocator, before, more);
    }
}
