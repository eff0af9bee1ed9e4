package io.tributary.perf.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;

/** Takes the bytes out of WebSocket frames, and puts them into some. */
final class WebSocketBytes extends ChannelDuplexHandler {

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof WebSocketFrame frame) {
            context.fireChannelRead(frame.content());
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // it is the promise
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        context.write(message instanceof ByteBuf bytes ? new BinaryWebSocketFrame(bytes) : message, promise);
    }
}
