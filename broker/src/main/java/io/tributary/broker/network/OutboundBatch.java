package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.tributary.broker.loop.LoopMailbox;
import org.jspecify.annotations.Nullable;

/**
 * The flush policy: packets for one connection are encoded one behind the other, and go to the socket in one write and
 * one flush at the end of the event loop's turn. A large batch goes to the channel's own buffer earlier, so that the
 * channel's water marks count it, and to the socket when these are reached. Confined to the event loop.
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

    OutboundBatch(Channel channel, LoopMailbox turn, NetworkRecorder recorder) {
        this.channel = channel;
        this.turn = turn;
        this.recorder = recorder;
    }

    /** Where the next packet is encoded; {@link #added} follows. */
    ByteBuf buffer() {
        ByteBuf buffer = encoded;
        if (buffer == null) {
            buffer = channel.alloc().ioBuffer(FIRST_BYTES);
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
        bytes += shared.readableBytes();
        channel.write(shared, channel.voidPromise());
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
        handOver();
        if (packets > 0) {
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
        packets = 0;
        bytes = 0;
    }

    private void handOver() {
        ByteBuf buffer = encoded;
        if (buffer == null) {
            return;
        }
        encoded = null;
        bytes += buffer.readableBytes();
        channel.write(buffer, channel.voidPromise());
    }
}
