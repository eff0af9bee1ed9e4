package io.tributary.cluster.link;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The direct connections of this node to the others: one TCP connection a pair, for both directions. Of two nodes the
 * one with the smaller name connects, again and again while there is no link; the other one waits.
 *
 * <p>What goes over a link is ordered and authenticated, and lost when the link breaks. Memory is bounded: for each
 * peer by {@link LinkConfig#outboundBytes}, about a mebibyte of socket buffers, and one incoming frame.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
public final class NodeLinks {
    private static final int BACKLOG = 256;
    private static final int WRITE_LOW_BYTES = 256 * 1024;
    private static final int WRITE_HIGH_BYTES = 512 * 1024;

    private final LinkIdentity identity;
    private final LinkLayer layer;
    private final LinkContext context;
    private final SocketTransport transport = SocketTransport.best();
    private final EventLoopGroup loops;
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final ChannelGroup listening = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();

    /**
     * Creates them; there are none before {@link #peers}, and nobody can connect before {@link #listen}.
     *
     * @param self this process of this node
     * @param layer what lies between the sockets and the links
     * @param links has the links that are up
     * @param receiver told what comes over links
     */
    public NodeLinks(
            NodeId self,
            LinkConfig config,
            LinkLayer layer,
            OpenLinks links,
            LinkReceiver receiver,
            LinkRecorder recorder) {
        this.layer = layer;
        identity = new LinkIdentity(self, config.clusterId(), config.secret());
        loops = new MultiThreadIoEventLoopGroup(
                config.eventLoops(), new DefaultThreadFactory("link"), transport.handlers());
        context = new LinkContext(
                identity,
                config,
                receiver,
                recorder,
                links,
                new Peers(loops.next(), self, new Ways(), receiver, recorder),
                new HalfOpen(config.maxHalfOpen()),
                new RefusalLog(System::nanoTime));
    }

    /**
     * Begins to listen, and waits until it does; once.
     *
     * @return where this node listens
     * @throws LinkListenException when this node cannot listen where it should; {@link #close} is still to be called
     */
    public InetSocketAddress listen() {
        LinkConfig config = context.config();
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childHandler(initializer(false, () -> new LinkChannel(context, new AcceptorHandshake(identity), null)))
                .bind(config.host(), config.port())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new LinkListenException(config, bound.cause());
        }
        listening.add(bound.channel());
        return (InetSocketAddress) bound.channel().localAddress();
    }

    /**
     * Replaces the set of nodes that there are to be links with: connects to new ones, expects those that connect
     * themselves, and closes the links to those that are gone. This node itself may be among them, and is left out. Any
     * thread.
     *
     * <p>Of a name the newest process counts that was ever named here or has connected, as long as the name is in the
     * set.
     *
     * @param nodes where each node listens; an address that is not resolved is looked up at each attempt
     */
    public void peers(Map<NodeId, InetSocketAddress> nodes) {
        context.peers().set(nodes);
    }

    /** Why a connection did not become a link since one did, when this was somebody's fault, or null; any thread. */
    public @Nullable Refusal refusal() {
        return context.refusals().last();
    }

    /**
     * Listens no more, takes no more frames, and sends what links have accepted. Any thread; only the first call
     * counts.
     *
     * @param patience how long peers are given to take it; then connections are closed whatever is left
     * @return completes when all connections are closed and the event loops have ended
     */
    public CompletionStage<@Nullable Void> close(Duration patience) {
        if (closing.compareAndSet(false, true)) {
            listening.close().addListener(stopped -> closeLinks());
            GlobalEventExecutor.INSTANCE.schedule(() -> channels.close(), patience.toNanos(), TimeUnit.NANOSECONDS);
        }
        return closed;
    }

    private void closeLinks() {
        context.peers().close();
        context.halfOpen().all().forEach(PeerConnection::close);
        channels.newCloseFuture().addListener(all -> endLoops());
    }

    private void endLoops() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).addListener(ended -> closed.complete(null));
    }

    /** To other nodes. */
    private final class Ways implements Peers.Dialer {
        @Override
        public PeerConnection dial(NodeId to, InetSocketAddress address) {
            LinkChannel channel = new LinkChannel(context, new DialerHandshake(identity, to), to);
            if (address.isUnresolved()) {
                resolve(address, found -> connect(channel, to, found), e -> {
                    context.refusals().unreachable(to, address, e);
                    context.peers().ended(channel, to);
                });
            } else {
                connect(channel, to, address);
            }
            return channel;
        }

        @Override
        public void look(NodeId peer, InetSocketAddress address, Runnable onRefused) {
            if (address.isUnresolved()) {
                resolve(address, found -> lookAt(found, onRefused), e -> {});
            } else {
                lookAt(address, onRefused);
            }
        }
    }

    /** Looking up a name blocks, so it has a thread of its own: few a peer, for an attempt follows the one before. */
    private static void resolve(
            InetSocketAddress address, Consumer<InetSocketAddress> found, Consumer<UnknownHostException> unknown) {
        Thread.ofVirtual().name("link-address").start(() -> {
            InetAddress host;
            try {
                host = InetAddress.getByName(address.getHostString());
            } catch (UnknownHostException e) {
                unknown.accept(e);
                return;
            }
            found.accept(new InetSocketAddress(host, address.getPort()));
        });
    }

    private void connect(LinkChannel channel, NodeId to, InetSocketAddress address) {
        bootstrap().handler(initializer(true, () -> channel)).connect(address).addListener(connected -> {
            if (!connected.isSuccess()) {
                context.refusals().unreachable(to, address, connected.cause());
                if (isRefusal(connected.cause())) {
                    context.receiver().onRefused(to);
                }
                context.peers().ended(channel, to); // once more, unless the channel never had its handler
            }
        });
    }

    /** Connects, and closes at once; tells when the machine answers that nobody listens there. */
    private void lookAt(InetSocketAddress address, Runnable onRefused) {
        bootstrap()
                .handler(new ChannelInboundHandlerAdapter())
                .connect(address)
                .addListener((ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        connected.channel().close();
                    } else if (isRefusal(connected.cause())) {
                        onRefused.run();
                    }
                });
    }

    private Bootstrap bootstrap() {
        long timeoutMillis = context.config().timings().handshake().toMillis();
        return new Bootstrap()
                .group(loops)
                .channel(transport.clientChannel())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeoutMillis);
    }

    /** A machine answered that nobody listens, other than one that does not answer, or cannot be reached. */
    private static boolean isRefusal(@Nullable Throwable failure) {
        return failure instanceof ConnectException
                && String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT).contains("refused");
    }

    private ChannelInitializer<Channel> initializer(boolean dialing, Supplier<LinkChannel> handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.config().setOption(ChannelOption.TCP_NODELAY, true);
                channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
                channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(WRITE_LOW_BYTES, WRITE_HIGH_BYTES));
                channels.add(channel);
                layer.addTo(channel.pipeline(), dialing);
                channel.pipeline().addLast(handler.get());
            }
        };
    }
}
