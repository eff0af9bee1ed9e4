package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.tributary.broker.loop.LoopMailbox;
import io.tributary.common.codec.PublishTemplate;
import org.jspecify.annotations.Nullable;

/**
 * The flush policy: packets for one connection are encoded one behind the other, and go to the socket in one write and
 * one flush at the end of the event loop's turn. A large batch goes to the channel's own buffer earlier, so that the
 * channel's water marks count it, and to the socket when these are reached. Confined to the event loop.
 *
 * <p>The payload of a large message goes to the channel in parts, each when the channel is writable: what a client does
 * not take stays where all its receivers have it, and is not encrypted in advance.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class OutboundBatch {
    private static final int FIRST_BYTES = 256;

    /** From this size on a batch is handed to the channel before the turn ends. */
    private static final int HAND_OVER_BYTES = 32 * 1024;

    private final Channel channel;
    private final LoopMailbox turn;
    private final NetworkRecorder recorder;
    private @Nullable ByteBuf encoded;
    private boolean asked;
    private int packets;
    private int bytes;

    /** A message whose payload is not with the channel as a whole; what is encoded meanwhile is behind it. */
    private @Nullable PublishTemplate large;

    private int largeWritten;
    private Runnable whenWhole = () -> {};

    OutboundBatch(Channel channel, LoopMailbox turn, NetworkRecorder recorder) {
        this.channel = channel;
        this.turn = turn;
        this.recorder = recorder;
    }

    /** Where the next packet is encoded; {@link #added} follows. */
    ByteBuf buffer() {
        ByteBuf buffer = encoded;
        if (buffer == null) {
            buffer = allocate(FIRST_BYTES);
            encoded = buffer;
        }
        return buffer;
    }

    /**
     * Goes on behind what was encoded last with bytes that other connections send, too, and releases them;
     * {@link #added} follows.
     */
    void append(ByteBuf shared) {
        handOver();
        write(shared, shared.readableBytes());
    }

    /** Goes on behind what was encoded last with the message's payload, in parts; {@link #added} follows. */
    void appendInParts(PublishTemplate message) {
        ByteBuf head = encoded;
        encoded = null;
        large = message;
        largeWritten = 0;
        if (head != null) {
            write(head, head.readableBytes());
        }
        writeParts();
    }

    /** How much of a large message, and of what is behind it, is not with the channel yet. */
    int unwritten() {
        return behind() + (large == null ? 0 : large.payloadSize() - largeWritten);
    }

    /** How much waits for the end of the turn, or for that of a large message. */
    int behind() {
        return encoded == null ? 0 : encoded.readableBytes();
    }

    /** Whether a large message is not with the channel as a whole. */
    boolean isInParts() {
        return large != null;
    }

    /** Sends more of a large message, if the channel takes some. */
    void goOn() {
        if (large != null && channel.isWritable()) {
            send();
        }
    }

    /** Does it as soon as no large message is to be finished; not if the connection ends before. */
    void whenWhole(Runnable action) {
        if (large == null) {
            action.run();
        } else {
            whenWhole = action;
        }
    }

    /** A packet was encoded: it goes out at the end of this turn at the latest. */
    void added() {
        packets++;
        if (!asked) {
            asked = true;
            turn.atEndOfTurn(this::flush);
        }
        if (encoded != null && encoded.readableBytes() >= HAND_OVER_BYTES) {
            handOver();
        }
    }

    /** Sends what there is, at the end of the turn. */
    private void flush() {
        asked = false;
        send();
    }

    /** Sends what there is, although the turn goes on. */
    void send() {
        writeParts();
        handOver();
        if (bytes > 0) {
            recorder.sent(packets, bytes);
            packets = 0;
            bytes = 0;
            channel.flush();
        }
    }

    /** Drops packets that were not handed to the channel. */
    void release() {
        if (encoded != null) {
            encoded.release();
            encoded = null;
        }
        large = null;
        packets = 0;
        bytes = 0;
    }

    private void writeParts() {
        PublishTemplate message = large;
        if (message == null) {
            return;
        }
        boolean isWhole = false;
        while (large == message && channel.isWritable()) {
            int from = largeWritten;
            int size = Math.min(HAND_OVER_BYTES, message.payloadSize() - from);
            ByteBuf part = part(message, from, size);
            if (part == null) {
                return;
            }
            largeWritten += size; // before the channel tells that it takes no more
            isWhole = largeWritten == message.payloadSize();
            large = isWhole ? null : message;
            write(part, size);
        }
        if (isWhole) {
            handOver();
            whenWhole.run();
        }
    }

    /**
     * Null when there is no memory for it: nothing would go on with the half of a message, so the connection is closed.
     */
    private @Nullable ByteBuf part(PublishTemplate message, int from, int size) {
        try {
            ByteBuf part = allocate(size);
            message.writePayload(from, size, part);
            return part;
        } catch (OutOfMemoryError closed) {
            release();
            return null;
        }
    }

    /** Closes the connection when there is no memory for it. */
    private ByteBuf allocate(int size) {
        try {
            return channel.alloc().ioBuffer(size);
        } catch (OutOfMemoryError e) {
            BufferShortage.closes(channel, e, recorder);
            channel.close();
            throw e;
        }
    }

    private void handOver() {
        ByteBuf buffer = encoded;
        if (buffer == null || large != null) {
            return;
        }
        encoded = null;
        write(buffer, buffer.readableBytes());
    }

    private void write(ByteBuf buffer, int size) {
        bytes += size;
        channel.write(buffer, channel.voidPromise());
    }
}
