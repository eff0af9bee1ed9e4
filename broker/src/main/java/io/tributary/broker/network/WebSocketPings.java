package io.tributary.broker.network;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import org.jspecify.annotations.Nullable;

/**
 * Answers a WebSocket's pings, all of a read in one flush: Netty's own handler behind it flushes for each, of which a
 * read may have a hundred thousand. Where too many answers wait, the latest ping is answered for all [RFC 6455, 5.5.3].
 * Confined to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class WebSocketPings extends ChannelInboundHandlerAdapter {
    private @Nullable PongWebSocketFrame latest;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof PingWebSocketFrame ping)) {
            context.fireChannelRead(message);
            return;
        }
        if (latest != null && context.channel().bytesBeforeWritable() <= SocketHandler.MAX_WAITING_BYTES) {
            context.channel().write(latest); // through all handlers: nothing goes out behind a Close frame
        } else {
            drop();
        }
        latest = new PongWebSocketFrame(ping.content());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (latest != null) {
            context.channel().writeAndFlush(latest);
            latest = null;
        }
        context.fireChannelReadComplete();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        drop();
    }

    private void drop() {
        if (latest != null) {
            latest.release();
            latest = null;
        }
    }
}
