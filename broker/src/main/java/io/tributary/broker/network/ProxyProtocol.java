package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Future;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first handler of a connection at a listener with the PROXY protocol: takes the header, and leaves. Connections
 * from anybody but the listener's proxies, and those without a good header in time, are closed without a word. Confined
 * to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class ProxyProtocol extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyProtocol.class);

    private final ListenerContext listener;
    private final ProxyProtocolConfig config;
    private final Runnable then;
    private @Nullable Future<?> timer;
    private boolean isOver;

    /**
     * Creates the handler of a connection.
     *
     * @param then adds the handlers of the connection when it is known whose it is
     */
    ProxyProtocol(ListenerContext listener, ProxyProtocolConfig config, Runnable then) {
        this.listener = listener;
        this.config = config;
        this.then = then;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        if (!config.isTrusted(context.channel().remoteAddress())) {
            refuse(context, EntryRefusal.PROXY_UNTRUSTED, "is none of the proxies");
            return;
        }
        timer = context.executor()
                .schedule(
                        () -> refuse(context, EntryRefusal.PROXY_TIMEOUT, "sent no PROXY header in time"),
                        config.timeout().toNanos(),
                        TimeUnit.NANOSECONDS);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (isOver) {
            in.skipBytes(in.readableBytes());
            return;
        }
        ProxyHeader header;
        try {
            header = ProxyHeader.read(in);
        } catch (ProxyHeader.Malformed e) {
            LOG.debug("PROXY header from {}: {}", context.channel().remoteAddress(), e.getMessage());
            in.skipBytes(in.readableBytes());
            refuse(
                    context,
                    e.isTooLarge() ? EntryRefusal.PROXY_TOO_LARGE : EntryRefusal.PROXY_MALFORMED,
                    "sent no good PROXY header");
            return;
        }
        if (header != null) {
            stopTimer();
            ClientOrigin.set(context.channel(), header);
            then.run();
            context.pipeline().remove(this); // hands on what came behind the header
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        stopTimer();
    }

    private void refuse(ChannelHandlerContext context, EntryRefusal reason, String did) {
        if (!isOver && !context.isRemoved()) {
            isOver = true;
            stopTimer();
            listener.refused(context.channel(), reason, did);
            context.close();
        }
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
