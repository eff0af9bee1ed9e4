package io.tributary.broker.network;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.tributary.broker.connection.ClientConnections;
import io.tributary.broker.connection.ConnectionServices;
import io.tributary.broker.connection.Farewell;
import io.tributary.broker.loop.LoopMailbox;
import io.tributary.broker.loop.LoopMailboxes;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All listeners of a node, and the event loops that run their connections. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
public final class Listeners {
    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

    private static final int STEPS_A_SECOND = 10;

    private final List<ListenerConfig> configs;
    private final NetworkConfig network;
    private final ConnectionServices services;
    private final ClientConnections clientConnections;
    private final LoopMailboxes mailboxes = new LoopMailboxes();
    private final NetworkRecorder recorder;
    private final Transport transport = Transport.best();
    private final UnfinishedPackets unfinished = UnfinishedPackets.ofThisProcess();
    private final SilentConnections silent = SilentConnections.ofThisProcess();
    private final AcceptFailures acceptFailures;
    private final EventLoopGroup loops;
    private final LoopLag lag;
    private final ChannelGroup listening = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final List<TlsLayer> layers = new ArrayList<>();
    private final List<ListenerAdmission> admissions = new ArrayList<>();
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

    /** Creates listeners that do not listen yet. */
    public Listeners(
            List<ListenerConfig> configs,
            NetworkConfig network,
            ConnectionServices services,
            ClientConnections clientConnections,
            NetworkRecorder recorder) {
        this.configs = List.copyOf(configs);
        this.network = network;
        this.services = services;
        this.clientConnections = clientConnections;
        this.recorder = recorder;
        acceptFailures = new AcceptFailures(recorder, System::nanoTime);
        int threads = network.eventLoops() > 0
                ? network.eventLoops()
                : Runtime.getRuntime().availableProcessors();
        loops = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("mqtt"), transport.handlers());
        lag = new LoopLag(loops);
    }

    /** The mailbox of one of the event loops, for a client inside this process. */
    public LoopMailbox loop() {
        return mailboxes.of(loops.next());
    }

    /** Begins to listen where no listener has TLS. */
    List<BoundListener> start() {
        return start(ListenerTls.NONE);
    }

    /**
     * Begins to listen; waits until all listeners do.
     *
     * @param tls the certificates of listeners with TLS
     * @return where, in the order of their configuration
     * @throws ListenException when one cannot; then none does, and {@link #close} is still to be called
     */
    public List<BoundListener> start(ListenerTls tls) {
        lag.begin();
        List<BoundListener> bound = new ArrayList<>(configs.size());
        for (ListenerConfig config : configs) {
            Channel channel = listen(config, layer(config, tls));
            channel.pipeline().addLast(acceptFailures.handler(config.name()));
            listening.add(channel);
            BoundListener listener = new BoundListener(config.name(), (InetSocketAddress) channel.localAddress());
            LOG.debug("listener {} on {} ({})", listener.name(), listener.address(), transport.name());
            bound.add(listener);
        }
        return List.copyOf(bound);
    }

    private SocketLayer layer(ListenerConfig config, ListenerTls tls) {
        if (config.tls() == null) {
            return SocketLayer.PLAIN;
        }
        TlsLayer layer = new TlsLayer(tls.of(config), services.guard());
        layers.add(layer);
        loops.next()
                .scheduleAtFixedRate(
                        layer.slots()::look,
                        HandshakeSlots.LOOK_NANOS,
                        HandshakeSlots.LOOK_NANOS,
                        TimeUnit.NANOSECONDS);
        return layer;
    }

    /** How late tasks of the event loops begin, the longest delay of the last second, in nanoseconds. */
    public long lagNanos() {
        return lag.nanos();
    }

    /** How many connections have sent nothing yet. */
    public int silentConnections() {
        return silent.count();
    }

    /**
     * Refuses all new connections in answer to their CONNECT, as another node is to have them; or no more.
     *
     * @param serverReference where MQTT 5 clients are told to go, or null
     */
    public void turnAway(boolean all, @Nullable String serverReference) {
        admissions.forEach(admission -> admission.turnAway(all, serverReference));
    }

    /** What operators should know of the listeners, a sentence each. */
    public List<String> warnings() {
        return acceptFailures.warnings();
    }

    /**
     * Listens no more, and sends all clients away: not all at once, so that the next nodes can take them.
     *
     * @param perSecond how many clients are told in a second; 0 for all at once
     * @param longest how long telling them may take: where there are too many clients, more are told in a second
     * @param serverReference where MQTT 5 clients are told to go, or null
     * @param patience how long the last clients are given to read the packet; then their connections are closed
     * @return completes when all connections are closed and the event loops have ended
     */
    public CompletionStage<Void> close(
            int perSecond, Duration longest, @Nullable String serverReference, Duration patience) {
        listening.close().awaitUninterruptibly();
        layers.forEach(TlsLayer::close);
        CompletableFuture<Void> done = new CompletableFuture<>();
        List<Channel> all = List.copyOf(connections);
        long steps = Math.max(1, longest.toMillis() * STEPS_A_SECOND / 1000);
        int least = (int) Math.ceilDiv(all.size(), steps);
        int atOnce = perSecond == 0 ? Integer.MAX_VALUE : Math.max(Math.ceilDiv(perSecond, STEPS_A_SECOND), least);
        sendAway(all.iterator(), atOnce, Farewell.stopping(serverReference), () -> {
            connections.newCloseFuture().addListener(closed -> endLoops(done));
            GlobalEventExecutor.INSTANCE.schedule(() -> connections.close(), patience.toNanos(), TimeUnit.NANOSECONDS);
        });
        return done;
    }

    /**
     * Tells the clients one by one. The event loops must not end before the last client is told, however soon the
     * connections are gone.
     */
    private static void sendAway(Iterator<Channel> left, int atOnce, Farewell how, Runnable whenTold) {
        for (int i = 0; i < atOnce && left.hasNext(); i++) {
            Channel channel = left.next();
            channel.eventLoop().execute(() -> sendAway(channel, how));
        }
        if (left.hasNext()) {
            GlobalEventExecutor.INSTANCE.schedule(
                    () -> sendAway(left, atOnce, how, whenTold),
                    TimeUnit.SECONDS.toNanos(1) / STEPS_A_SECOND,
                    TimeUnit.NANOSECONDS);
        } else {
            whenTold.run();
        }
    }

    private static void sendAway(Channel channel, Farewell how) {
        SocketHandler connection = channel.pipeline().get(SocketHandler.class);
        if (connection != null) {
            connection.sendAway(how);
        } else {
            channel.close();
        }
    }

    private void endLoops(CompletableFuture<Void> done) {
        mailboxes.finish();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).addListener(ended -> done.complete(null));
    }

    private Channel listen(ListenerConfig config, SocketLayer layer) {
        ChannelFuture bound =
                bootstrap(config, layer).bind(config.host(), config.port()).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            listening.close();
            throw new ListenException(config, bound.cause());
        }
        return bound.channel();
    }

    private ServerBootstrap bootstrap(ListenerConfig config, SocketLayer layer) {
        ListenerAdmission admission = new ListenerAdmission(config.admission(), System::nanoTime);
        admissions.add(admission);
        StrayClients strays = new StrayClients(config, System::nanoTime, LOG::info);
        ListenerContext listener = new ListenerContext(
                config, network, admission, services, clientConnections, mailboxes, unfinished, strays, recorder);
        return new ServerBootstrap()
                .group(loops)
                .channel(transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, network.backlog())
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(network.writeLowBytes(), network.writeHighBytes()))
                .childHandler(new Pipeline(listener, layer, connections, silent));
    }
}
