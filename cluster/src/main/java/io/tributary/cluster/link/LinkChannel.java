package io.tributary.cluster.link;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.ScheduledFuture;
import io.tributary.cluster.link.Handshake.Authenticated;
import io.tributary.cluster.link.Handshake.NoLink;
import io.tributary.cluster.link.Handshake.Reply;
import io.tributary.common.event.UnreadableRecordException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to another node, the last handler of its pipeline. Confined to its event loop, but for the methods
 * that say otherwise.
 *
 * <pre>
 * HANDSHAKE -- peer authenticated --&gt; ADMITTING -- Peers says so --&gt; UP
 *     |                                   |                           |-- the node closes --&gt; FINISHING
 *     +-----------------------------------+---------------------------+--------------------------+--&gt; closed
 * </pre>
 *
 * <p>While it is ADMITTING, nothing more is read; bytes that are here stay as they are.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class LinkChannel extends ChannelInboundHandlerAdapter implements PeerConnection, LinkInbound.Taker {
    private static final Logger LOG = LoggerFactory.getLogger(LinkChannel.class);

    /** Of the head of a record of TLS. */
    private static final int TLS_RECORD_BYTES = 5;

    private enum State {
        HANDSHAKE,
        ADMITTING,
        UP,
        FINISHING
    }

    private final LinkContext context;
    private final Handshake handshake;
    private volatile @Nullable Channel channel;
    private volatile @Nullable NodeId peer;
    private volatile boolean closed;

    // Confined to the event loop.
    private State state = State.HANDSHAKE;
    private @Nullable HandshakeMessage welcome;
    private @Nullable SocketLink link;
    private @Nullable LinkWatch watch;
    private @Nullable ScheduledFuture<?> timeout;
    private @Nullable LinkInbound inbound;
    private int frames;
    private long bytes;

    /**
     * Creates the handler of a connection to the given process of a node, or of one whose other side is not known yet.
     */
    LinkChannel(LinkContext context, Handshake handshake, @Nullable NodeId peer) {
        this.context = context;
        this.handshake = handshake;
        this.peer = peer;
    }

    @Override
    public @Nullable NodeId peer() {
        return peer;
    }

    @Override
    public void close() {
        closed = true;
        Channel open = channel;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void refuse(Refusal why) {
        onLoop(() -> noLink(new NoLink(why, peerConnected() ? Handshake.refused(why) : null)));
    }

    @Override
    public void fail(Refusal why) {
        onLoop(() -> noLink(new NoLink(why, null)));
    }

    @Override
    public void up(long generation) {
        onLoop(() -> beginUp(generation));
    }

    @Override
    public void finish() {
        onLoop(this::beginFinish);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext handlerContext) {
        channel = handlerContext.channel();
        inbound = new LinkInbound(handlerContext.channel(), this);
        if (peerConnected()) {
            context.halfOpen().add(this);
        }
        if (closed) {
            handlerContext.close();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext handlerContext) {
        long nanos = context.config().timings().handshake().toNanos();
        timeout = channel().eventLoop().schedule(this::timedOut, nanos, TimeUnit.NANOSECONDS);
        if (handshake instanceof DialerHandshake dialer) {
            write(dialer.opening());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext handlerContext, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (state == State.HANDSHAKE && isTls(in)) {
            in.release();
            noLink(new NoLink(Refusal.NO_TLS, null));
            return;
        }
        bytes += in.readableBytes();
        if (watch != null) {
            watch.heard();
        }
        inbound().add(in);
    }

    /** Where this side has TLS, what comes here is decrypted; a frame of a node does not begin like that. */
    private static boolean isTls(ByteBuf in) {
        return in.readableBytes() >= TLS_RECORD_BYTES && SslHandler.isEncrypted(in, false);
    }

    /** The end of TLS before it began. Whoever looks whether a node listens ends a connection like that: nodes do. */
    @Override
    public void userEventTriggered(ChannelHandlerContext handlerContext, Object event) {
        if (!(event instanceof SslHandshakeCompletionEvent done) || done.isSuccess()) {
            return;
        }
        if (!(done.cause() instanceof ClosedChannelException)) {
            noLink(new NoLink(Refusal.NO_TLS, null));
        } else if (!peerConnected()) {
            noLink(new NoLink(Refusal.ENDED_BEFORE_TLS, null));
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext handlerContext) {
        framesRead();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext handlerContext) {
        closed = true;
        stopTimers();
        if (inbound != null) {
            inbound.discard();
        }
        if (peerConnected()) {
            context.halfOpen().remove(this);
        }
        if (link != null) {
            SocketLink down = link;
            link = null;
            down.outbound().close();
            context.links().down(down);
            context.recorder().down();
            tell(() -> context.receiver().onDown(down));
        }
        NodeId who = peer;
        if (who != null) {
            context.peers().ended(this, who);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext handlerContext, Throwable cause) {
        LOG.debug("the connection to {} is closed", peer, cause);
        close();
    }

    @Override
    public boolean mayTake() {
        return !closed && (state == State.HANDSHAKE || state == State.UP);
    }

    @Override
    public void take(byte[] frame) {
        SocketLink current = link;
        if (current == null) {
            handshake(frame);
        } else {
            frames++;
            tell(() -> context.receiver().onFrame(current, frame));
        }
    }

    private void handshake(byte[] frame) {
        Handshake.Step step;
        try {
            step = handshake.on(HandshakeMessage.decode(frame));
        } catch (UnreadableRecordException violation) {
            step = Handshake.malformed();
        }
        switch (step) {
            case Reply reply -> write(reply.message());
            case NoLink none -> noLink(none);
            case Authenticated authenticated -> {
                state = State.ADMITTING;
                welcome = authenticated.last();
                peer = authenticated.peer();
                context.halfOpen().remove(this);
                context.peers().authenticated(this, authenticated.peer());
            }
        }
    }

    private void noLink(NoLink none) {
        if (closed || link != null) {
            return;
        }
        closed = true;
        context.recorder().refused(none.why());
        NodeId claimed = handshake.claimed();
        String address = String.valueOf(channel().remoteAddress());
        String about = claimed == null ? address : claimed + " at " + address;
        context.refusals().refused(peerConnected() ? remoteHost() : String.valueOf(claimed), about, none.why());
        HandshakeMessage answer = none.answer();
        if (answer == null) {
            channel().close();
        } else {
            channel().writeAndFlush(LinkOutbound.frame(answer.encode())).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void timedOut() {
        fail(Refusal.TIMEOUT);
        channel().close(); // also when it is refused already and does not take the answer
    }

    private void beginUp(long generation) {
        NodeId who = peer;
        if (closed || who == null) {
            return;
        }
        if (welcome != null) {
            write(welcome);
        }
        if (timeout != null) {
            timeout.cancel(false);
        }
        state = State.UP;
        LinkConfig config = context.config();
        inbound().setMaxBytes(LinkConfig.LARGEST_FRAME_BYTES);
        LinkOutbound outbound = new LinkOutbound(channel(), config.outboundBytes(), context.recorder());
        SocketLink opened = new SocketLink(who, generation, outbound);
        link = opened;
        watch = new LinkWatch(opened, this, context, channel().eventLoop());
        context.links().up(who, opened);
        context.refusals().linked();
        context.recorder().up();
        tell(() -> context.receiver().onUp(opened));
        if (!inbound().isDelivering()) {
            inbound().deliver();
            framesRead();
        }
    }

    private void beginFinish() {
        SocketLink current = link;
        if (current == null) {
            close();
            return;
        }
        state = State.FINISHING;
        stopTimers();
        inbound().discard();
        current.outbound().finish(() -> {
            if (channel() instanceof DuplexChannel duplex) {
                duplex.shutdownOutput();
            } else {
                close();
            }
        });
    }

    /** Counts what a read brought, and tells the receiver that it has all of it. */
    private void framesRead() {
        if (bytes > 0) {
            context.recorder().received(frames, bytes);
            bytes = 0;
        }
        SocketLink current = link;
        if (frames > 0 && current != null && !closed) {
            frames = 0;
            tell(() -> context.receiver().onFramesRead(current));
        }
    }

    @Override
    public void corrupted(CorruptedFrameException violation) {
        SocketLink current = link;
        if (current == null) {
            noLink(Handshake.malformed());
        } else {
            context.refusals().broken(current.peer().toString(), String.valueOf(violation.getMessage()));
            close();
        }
    }

    private void tell(Runnable news) {
        try {
            news.run();
        } catch (RuntimeException | Error failure) {
            LOG.error("the link to {} is closed: what came over it, or its end, could not be handled", peer, failure);
            close();
        }
    }

    private void write(HandshakeMessage message) {
        channel().writeAndFlush(LinkOutbound.frame(message.encode()));
    }

    private void onLoop(Runnable action) {
        Channel open = channel;
        if (open == null) {
            close(); // not connected yet, and never to be
        } else if (open.eventLoop().inEventLoop()) {
            action.run();
        } else {
            execute(open, action);
        }
    }

    private static void execute(Channel open, Runnable action) {
        try {
            open.eventLoop().execute(action);
        } catch (RejectedExecutionException ended) {
            LOG.debug("the node is closed", ended);
        }
    }

    private String remoteHost() {
        return channel().remoteAddress() instanceof InetSocketAddress internet && internet.getAddress() != null
                ? internet.getAddress().getHostAddress()
                : String.valueOf(channel().remoteAddress());
    }

    private boolean peerConnected() {
        return handshake instanceof AcceptorHandshake;
    }

    private void stopTimers() {
        if (timeout != null) {
            timeout.cancel(false);
        }
        if (watch != null) {
            watch.stop();
        }
    }

    private LinkInbound inbound() {
        LinkInbound open = inbound;
        if (open == null) {
            throw new IllegalStateException("not connected");
        }
        return open;
    }

    private Channel channel() {
        Channel open = channel;
        if (open == null) {
            throw new IllegalStateException("not connected");
        }
        return open;
    }
}
