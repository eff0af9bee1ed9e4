package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;

/**
 * How much of a WebSocket frame is here that has not ended. Netty's decoder keeps such a frame where nobody sees it, so
 * the bytes are counted before the decoder, and those of each frame are taken off behind it. Confined to the event
 * loop.
 */
final class UnfinishedFrame {
    private static final int MASK_BYTES = 4;
    private static final int MOST_OF_SHORT = 125;
    private static final int MOST_OF_MEDIUM = 65_535;
    private static final int SMALLEST_BUFFER = 64;

    /** What came since the last frame; in the middle of a read other frames may be among it. */
    private long come;

    private int bytes;

    /**
     * The first handler of a WebSocket's, before the decoder. Handlers behind it ask for another read when a frame has
     * not come whole, or was for them alone: none is done while the connection is not to be read.
     */
    ChannelHandler beforeDecoder() {
        return new ChannelDuplexHandler() {
            @Override
            public void read(ChannelHandlerContext context) {
                if (context.channel().config().isAutoRead()) {
                    context.read();
                }
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                come += ((ByteBuf) message).readableBytes();
                context.fireChannelRead(message);
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext context) {
                bytes = (int) Math.min(come, Integer.MAX_VALUE);
                context.fireChannelReadComplete();
            }
        };
    }

    /** The handler behind the decoder. */
    ChannelInboundHandler behindDecoder() {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                // Before the first frame there is the request, with which the count begins.
                come = message instanceof WebSocketFrame frame ? Math.max(0, come - sizeOf(frame)) : 0;
                bytes = 0;
                context.fireChannelRead(message);
            }
        };
    }

    /** As the client sent it: lengths are in the shortest form, or the decoder had refused it. */
    private static int sizeOf(WebSocketFrame frame) {
        int payload = frame.content().readableBytes();
        int length = payload <= MOST_OF_SHORT ? 0 : payload <= MOST_OF_MEDIUM ? Short.BYTES : Long.BYTES;
        return 2 + length + MASK_BYTES + payload;
    }

    /** How many bytes were here after the last read; 0 as soon as a frame has come since. */
    int bytes() {
        return bytes;
    }

    /** How many bytes the decoder's buffer takes, which grows as buffers of Netty's do. */
    int memory() {
        return bytes < SMALLEST_BUFFER
                ? bytes
                : ByteBufAllocator.DEFAULT.calculateNewCapacity(bytes, Integer.MAX_VALUE);
    }
}
