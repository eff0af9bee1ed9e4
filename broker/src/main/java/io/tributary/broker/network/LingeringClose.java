package io.tributary.broker.network;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection so that the bytes written last arrive: everything is flushed, our direction is shut, and the
 * socket is closed when the peer closes its own or the time is over. Closing at once with unread input would reset the
 * connection and take the last packet away from the client.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class LingeringClose {
    private LingeringClose() {}

    /**
     * Begins to close; event loop only. The channel must go on reading, and drop what it reads.
     *
     * @param outbound may have to finish a large message first
     */
    static void begin(Channel channel, OutboundBatch outbound, Duration linger) {
        if (!channel.isActive()) {
            channel.close();
            return;
        }
        ScheduledFuture<?> end =
                channel.eventLoop().schedule(() -> channel.close(), linger.toNanos(), TimeUnit.NANOSECONDS);
        channel.closeFuture().addListener(closed -> end.cancel(false)); // else it would keep what is closed
        outbound.whenWhole(() -> lastWrite(channel).addListener(written -> {
            if (written.isSuccess() && channel instanceof DuplexChannel duplex) {
                shutdownOutput(duplex);
            } else {
                channel.close();
            }
        }));
    }

    /** Over TLS the peer is told within the encryption, too: else it would take the end for an attack. */
    private static void shutdownOutput(DuplexChannel channel) {
        SslHandler encryption = channel.pipeline().get(SslHandler.class);
        if (encryption == null) {
            channel.shutdownOutput();
        } else {
            encryption.closeOutbound().addListener(told -> channel.shutdownOutput());
        }
    }

    private static ChannelFuture lastWrite(Channel channel) {
        boolean webSocket = channel.pipeline().get(WebSocketFraming.class) != null;
        return channel.writeAndFlush(
                webSocket ? new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE) : Unpooled.EMPTY_BUFFER);
    }
}
