package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.tributary.broker.guard.EntryMemory;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what a connection sends, whatever it is, until its client is known; then it leaves. The lowest handler: also
 * headers of proxies, of TLS and of HTTP, and frames that are not whole yet, are memory that somebody holds who has not
 * said who it is. Confined to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class EntryBytes extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(EntryBytes.class);

    /** What a connection sends besides its CONNECT: handshakes of TLS and HTTP, a proxy's header. */
    private static final int BESIDES_CONNECT = 64 * 1024;

    private final Channel channel;
    private final ListenerContext listener;
    private final EntryMemory memory;
    private final EntryMemory.Share share;
    private final long most;
    private long bytes;
    private boolean isWhole;
    private boolean isRefused;

    EntryBytes(Channel channel, ListenerContext listener) {
        this.channel = channel;
        this.listener = listener;
        memory = listener.guard().memory();
        share = new EntryMemory.Share(this::giveWay);
        most = (long) BESIDES_CONNECT + listener.config().limits().packets().maxConnectBytes();
    }

    /** CONNECT is here. */
    void whole() {
        isWhole = true;
        memory.whole(share);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (isRefused) {
            ReferenceCountUtil.release(message);
            return;
        }
        bytes += ((ByteBuf) message).readableBytes();
        if ((isWhole || bytes <= most) && memory.hold(share, bytes)) {
            context.fireChannelRead(message);
        } else {
            ReferenceCountUtil.release(message);
            refuse();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        memory.release(share);
    }

    private void giveWay() {
        try {
            channel.eventLoop().execute(this::refuse);
        } catch (RejectedExecutionException ended) {
            LOG.debug("event loop is closed, and with it the connection", ended);
        }
    }

    private void refuse() {
        if (isRefused || !channel.isActive()) {
            return;
        }
        isRefused = true;
        listener.refused(channel, EntryRefusal.MEMORY, "held memory before it was known who it is");
        SocketHandler connection = channel.pipeline().get(SocketHandler.class);
        if (isWhole && connection != null) {
            connection.turnAway(new MqttException(ReasonCode.QUOTA_EXCEEDED, "too many clients are not known yet"));
        } else {
            channel.close();
        }
    }
}
