package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.util.ReferenceCountUtil;

/**
 * Takes the bytes out of WebSocket frames and puts them into some. The bounds of frames mean nothing: a packet may span
 * several frames, and a frame may hold several packets [MQTT-6.0.0-2]. Frames with text close the connection
 * [MQTT-6.0.0-1].
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class WebSocketFraming extends ChannelDuplexHandler {
    private boolean closing;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (closing) {
            ReferenceCountUtil.release(message);
            return;
        }
        switch (message) {
            case BinaryWebSocketFrame frame -> context.fireChannelRead(frame.content());
            case ContinuationWebSocketFrame frame -> context.fireChannelRead(frame.content());
            default -> {
                ReferenceCountUtil.release(message);
                refuse(context);
            }
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        context.write(message instanceof ByteBuf bytes ? new BinaryWebSocketFrame(bytes) : message, promise);
    }

    private void refuse(ChannelHandlerContext context) {
        closing = true;
        context.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.INVALID_MESSAGE_TYPE))
                .addListener(ChannelFutureListener.CLOSE);
    }
}
