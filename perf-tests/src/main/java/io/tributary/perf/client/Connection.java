package io.tributary.perf.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.codec.MqttDecoder;
import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.ProtocolVersion;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a client: packets to bytes and back. What is sent in a turn of the event loop goes out in one write
 * at its end. Confined to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class Connection extends ChannelInboundHandlerAdapter {
    private static final int FIRST_BYTES = 256;

    /**
     * From this size on what is sent is handed to the channel before the turn ends, so that its water marks count it.
     */
    private static final int HAND_OVER_BYTES = 64 * 1024;

    private final Channel channel;
    private final LoadClient client;
    private final TurnEnd turnEnd;
    private final boolean webSocket;
    private final MqttDecoder decoder;
    private final MqttEncoder encoder;

    private @Nullable ByteBuf unfinished;
    private @Nullable ByteBuf outgoing;
    private boolean asked;

    Connection(Channel channel, LoadClient client, TurnEnd turnEnd, ProtocolVersion version, boolean webSocket) {
        this.channel = channel;
        this.client = client;
        this.turnEnd = turnEnd;
        this.webSocket = webSocket;
        decoder = MqttDecoder.forClient(version, DecoderLimits.DEFAULT);
        encoder = new MqttEncoder(version, ConnectProperties.LARGEST_PACKET);
    }

    /** The encoder for what this connection sends. */
    MqttEncoder encoder() {
        return encoder;
    }

    /** Whether the socket takes more, or its buffer is full. */
    boolean isWritable() {
        return channel.isWritable();
    }

    /** Sends a packet at the end of the turn. */
    void send(MqttPacket packet) {
        encoder.encode(packet, begin());
        written();
    }

    /** Where the bytes of the next packet go; {@link #written} follows. */
    ByteBuf begin() {
        ByteBuf buffer = outgoing;
        if (buffer == null) {
            buffer = channel.alloc().ioBuffer(FIRST_BYTES);
            outgoing = buffer;
        }
        return buffer;
    }

    /** A packet is written in full. */
    void written() {
        if (!asked) {
            asked = true;
            turnEnd.add(this);
        }
        if (outgoing != null && outgoing.readableBytes() >= HAND_OVER_BYTES) {
            handOver();
        }
    }

    /** Sends what there is. */
    void flush() {
        asked = false;
        handOver();
        channel.flush();
    }

    /** Reads what comes, or leaves it in the socket. */
    void read(boolean reads) {
        channel.config().setAutoRead(reads);
    }

    /** Sends what there is and closes. */
    void close() {
        flush();
        channel.close();
    }

    private void handOver() {
        ByteBuf buffer = outgoing;
        if (buffer != null) {
            outgoing = null;
            channel.write(buffer, channel.voidPromise());
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (!webSocket) {
            client.opened(this);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
            client.opened(this);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf whole = (ByteBuf) message;
        ByteBuf before = unfinished;
        if (before != null) {
            before.writeBytes(whole);
            whole.release();
            whole = before;
            unfinished = null;
        }
        try {
            for (MqttPacket packet = decoder.decode(whole); packet != null; packet = decoder.decode(whole)) {
                client.received(this, packet);
            }
        } catch (RuntimeException e) {
            whole.release();
            throw e;
        }
        keepRest(whole, before != null);
    }

    /** A large packet comes in many parts: what is gathered of it is not copied with each. */
    private void keepRest(ByteBuf whole, boolean isGathered) {
        if (isGathered && whole.isReadable() && whole.readerIndex() == 0) {
            unfinished = whole;
            return;
        }
        if (whole.isReadable()) {
            unfinished = channel.alloc().buffer(whole.readableBytes() * 2).writeBytes(whole);
        }
        whole.release();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            client.writable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        release();
        client.closed(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        client.failed(cause);
        channel.close();
    }

    private void release() {
        if (unfinished != null) {
            unfinished.release();
            unfinished = null;
        }
        if (outgoing != null) {
            outgoing.release();
            outgoing = null;
        }
    }
}
