package io.tributary.cluster.link;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import org.jspecify.annotations.Nullable;

/**
 * The incoming side of one connection: hands frames over one by one while the receiver takes them, and otherwise keeps
 * the bytes that are here and has no more read. Confined to the event loop.
 */
final class LinkInbound {
    private final Channel channel;
    private final FrameReader reader = new FrameReader(HandshakeMessage.MAX_BYTES);
    private final Taker taker;
    private @Nullable ByteBuf received;
    private boolean delivering;
    private boolean discarding;

    /** The receiver of the frames. */
    interface Taker {
        /** Whether frames may be handed over now. */
        boolean mayTake();

        /** A frame came. */
        void take(byte[] frame);

        /** Bytes that are no frame came; nothing after them makes sense. */
        void corrupted(CorruptedFrameException violation);
    }

    LinkInbound(Channel channel, Taker taker) {
        this.channel = channel;
        this.taker = taker;
    }

    /** Lets frames be as large as those of a link; before, they are those of a handshake. */
    void setMaxBytes(int maxBytes) {
        reader.setMaxBytes(maxBytes);
    }

    /** Bytes came: hands over the frames in them. */
    void add(ByteBuf in) {
        if (discarding) {
            in.release();
            return;
        }
        received = received == null ? in : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(channel.alloc(), received, in);
        deliver();
    }

    /** Whether this is called while a frame is being handed over. */
    boolean isDelivering() {
        return delivering;
    }

    /** Hands over all frames that are here, as long as they may be, and has more read if they still may. */
    void deliver() {
        if (delivering || discarding) {
            return;
        }
        delivering = true;
        try {
            byte[] frame;
            while (!discarding && taker.mayTake() && received != null && (frame = reader.next(received)) != null) {
                taker.take(frame);
            }
        } catch (CorruptedFrameException violation) {
            taker.corrupted(violation);
        } finally {
            delivering = false;
        }
        if (discarding || (received != null && !received.isReadable())) {
            release();
        }
        setReading();
    }

    /** Hands over nothing more: what comes is read, so that the end of the connection shows, and dropped. */
    void discard() {
        discarding = true;
        if (!delivering) {
            release();
            setReading();
        }
    }

    private void setReading() {
        if (channel.isActive()) {
            channel.config().setAutoRead(discarding || taker.mayTake());
        }
    }

    private void release() {
        if (received != null) {
            received.release();
            received = null;
        }
    }
}
