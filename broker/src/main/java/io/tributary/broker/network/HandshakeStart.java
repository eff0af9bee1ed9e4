package io.tributary.broker.network;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.tributary.broker.guard.Guard;
import io.tributary.broker.loop.LoopShare;
import java.net.InetAddress;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for a client's first message of TLS, for a slot of the listener and for its turn in the event loop's time, and
 * puts the encryption for the host that the client asks for in its own place. A connection that says nothing holds
 * neither a slot nor the memory of an engine. Confined to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class HandshakeStart extends AbstractSniHandler<Boolean> {
    private static final Logger LOG = LoggerFactory.getLogger(HandshakeStart.class);
    private static final int LARGEST_HELLO = 64 * 1024;

    private final TlsLayer layer;
    private final Duration timeout;
    private final long openedNanos = System.nanoTime();
    private HandshakeSlots.@Nullable Slot slot;
    private boolean isOver;

    HandshakeStart(TlsLayer layer) {
        super(LARGEST_HELLO, layer.contexts().config().handshakeTimeout().toMillis());
        this.layer = layer;
        timeout = layer.contexts().config().handshakeTimeout();
    }

    @Override
    protected Future<Boolean> lookup(ChannelHandlerContext context, @Nullable String host) {
        Channel channel = context.channel();
        Promise<Boolean> turn = context.executor().newPromise();
        LoopShare share = layer.share(channel.eventLoop());
        InetAddress address = ClientOrigin.internetAddress(channel);
        HandshakeSlots.Slot mine = new HandshakeSlots.Slot(
                address == null ? "" : Guard.text(address),
                () -> onLoop(channel, () -> share.run(() -> turn.trySuccess(true))),
                channel::close);
        slot = mine;
        if (!layer.slots().enter(mine)) {
            layer.contexts().recorder().handshakeWaits(layer.contexts().name());
        }
        channel.closeFuture().addListener(closed -> layer.slots().leave(mine));
        return turn;
    }

    private static void onLoop(Channel channel, Runnable action) {
        try {
            channel.eventLoop().execute(action);
        } catch (RejectedExecutionException ended) {
            LOG.debug("event loop is closed, the handshake is dropped", ended);
        }
    }

    @Override
    protected void onLookupComplete(ChannelHandlerContext context, @Nullable String host, Future<Boolean> turn) {
        if (context.isRemoved() || !context.channel().isActive()) {
            return;
        }
        SslHandler encryption = layer.contexts().accepted(context.alloc(), host);
        encryption.setHandshakeTimeoutMillis(timeout.toMillis());
        encryption.handshakeFuture().addListener(done -> ended(context.channel(), done.cause()));
        context.pipeline().replace(this, null, encryption); // which takes the client's first message
        if (slot != null) {
            layer.slots().answered(slot);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        super.channelInactive(context);
        boolean isLate = System.nanoTime() - openedNanos >= timeout.toNanos();
        ended(
                context.channel(),
                isLate
                        ? new SslHandshakeTimeoutException("no beginning of a handshake")
                        : new ClosedChannelException());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        ended(context.channel(), cause);
        context.fireExceptionCaught(cause);
    }

    private void ended(Channel channel, @Nullable Throwable failure) {
        if (isOver) {
            return;
        }
        isOver = true;
        if (slot != null) {
            layer.slots().leave(slot);
        }
        layer.ended(channel, failure);
    }
}
