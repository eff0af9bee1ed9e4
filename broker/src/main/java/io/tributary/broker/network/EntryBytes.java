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
 * Counts what a connection sends, whatever it is, until its client is known; then it leaves. One that has sent nothing
 * counts, too. The lowest handler: also headers of proxies, of TLS and of HTTP, and frames that are not whole yet, are
 * memory that somebody holds who has not said who it is. Confined to the event loop.
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
    private final SilentConnections silent;
    private final Runnable endOfSilence = this::endSilence;
    private final long most;
    private long bytes;
    private boolean isWhole;
    private boolean isRefused;

    EntryBytes(Channel channel, ListenerContext listener, SilentConnections silent) {
        this.channel = channel;
        this.listener = listener;
        this.silent = silent;
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
    public void handlerAdded(ChannelHandlerContext context) {
        silent.add(endOfSilence);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (isRefused) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (bytes == 0) {
            silent.remove(endOfSilence);
        }
        bytes += ((ByteBuf) message).readableBytes();
        if ((isWhole || bytes <= most) && memory.hold(share, bytes)) {
            context.fireChannelRead(message);
        } else {
            ReferenceCountUtil.release(message);
            endHolding();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        silent.remove(endOfSilence);
        memory.release(share);
    }

    private void giveWay() {
        onLoop(this::endHolding);
    }

    private void endSilence() {
        onLoop(() -> {
            if (bytes == 0) {
                refuse(EntryRefusal.SILENT, "said nothing, as too many others");
            }
        });
    }

    private void onLoop(Runnable action) {
        try {
            channel.eventLoop().execute(action);
        } catch (RejectedExecutionException ended) {
            LOG.debug("event loop is closed, and with it the connection", ended);
        }
    }

    private void endHolding() {
        refuse(EntryRefusal.MEMORY, "held memory before it was known who it is");
    }

    private void refuse(EntryRefusal reason, String did) {
        if (isRefused || !channel.isActive()) {
            return;
        }
        isRefused = true;
        listener.refused(channel, reason, did);
        SocketHandler connection = channel.pipeline().get(SocketHandler.class);
        if (isWhole && connection != null) {
            connection.turnAway(new MqttException(ReasonCode.QUOTA_EXCEEDED, "too many clients are not known yet"));
        } else {
            channel.close();
        }
    }
}
