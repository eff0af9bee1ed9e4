package io.tributary.broker.network;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.tributary.broker.network.ListenerAdmission.Rejected;
import io.tributary.broker.network.ListenerAdmission.Verdict;
import io.tributary.common.mqtt.ReasonCode;
import java.net.InetAddress;
import java.util.List;

/**
 * The handlers of a connection, from the socket up:
 *
 * <pre>
 * always      EntryBytes, until the client is known
 * of a proxy  ProxyProtocol, which adds the others behind itself when it is known whose connection it is
 * at first    [encryption] FirstBytes                                                               SocketHandler
 * TCP         [encryption]                                                                          SocketHandler
 * WebSocket   [encryption] UnfinishedFrame, http codec, UnfinishedFrame, aggregator, WebSocketRequests, WebSocketPings,
 *             web socket, WebSocketFraming, SocketHandler; the codec is replaced by that of frames
 * </pre>
 */
final class Pipeline extends ChannelInitializer<Channel> {
    private static final int MAX_REQUEST_LINE = 4_096;
    private static final int MAX_HEADER_BYTES = 8_192;
    private static final int MAX_REQUEST_BODY = 1_024;

    /** How many bytes a WebSocket frame may hold besides the largest packet. */
    private static final int FRAME_SLACK = 64 * 1024;

    private final ListenerContext listener;
    private final SocketLayer layer;
    private final ChannelGroup open;
    private final SilentConnections silent;
    private final SilentConnections allSilent;
    private final int manyOpen;
    private final int fewUnfinished;
    private final AllowedOrigins origins;

    /**
     * Creates the initializer of a listener's connections.
     *
     * @param open the node's connections that are open; new ones are added
     * @param allSilent those of them that have sent nothing yet; new ones are added
     */
    Pipeline(ListenerContext listener, SocketLayer layer, ChannelGroup open, SilentConnections allSilent) {
        this.listener = listener;
        this.layer = layer;
        this.open = open;
        this.allSilent = allSilent;
        silent = new SilentConnections(listener.config().admission().maxConnections(), allSilent, System::nanoTime);
        fewUnfinished = OpenFiles.most() / SilentConnections.PART;
        manyOpen = (SilentConnections.PART - 1) * fewUnfinished;
        origins = AllowedOrigins.of(listener.config());
    }

    @Override
    protected void initChannel(Channel channel) {
        ProxyProtocolConfig proxies = listener.config().proxyProtocol();
        open.add(channel);
        if (open.size() > manyOpen) {
            listener.guard().memory().oldestGivesWay(fewUnfinished, allSilent::oldestGivesWay);
        }
        channel.pipeline().addLast(new EntryBytes(channel, listener, silent));
        if (proxies == null) {
            admit(channel);
        } else {
            channel.pipeline().addLast(new ProxyProtocol(listener, proxies, () -> admit(channel)));
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
    private void admit(Channel channel) {
        Verdict verdict = verdict(channel);
        if (verdict instanceof Rejected) {
            channel.close();
            return;
        }
        ChannelPipeline pipeline = channel.pipeline();
        layer.addTo(pipeline);
        pipeline.addLast(new FirstBytes(listener, this::addProtocol));
        pipeline.addLast(new SocketHandler(channel, listener, verdict));
    }

    /** With TLS it is the handshake that costs: who comes too often is not told why. */
    private Verdict verdict(Channel channel) {
        InetAddress address = ClientOrigin.internetAddress(channel);
        boolean isListed =
                address != null && listener.services().access().bans().isBanned(address);
        ReasonCode objection = isListed ? ReasonCode.BANNED : listener.guard().arrives(address);
        if (objection == null) {
            Verdict verdict = listener.admission().decide();
            if (verdict instanceof Rejected) {
                listener.recorder().rejected(listener.name());
            }
            return verdict;
        }
        Verdict verdict = listener.config().tls() == null ? listener.admission().refuse(objection) : new Rejected();
        if (verdict instanceof Rejected) {
            boolean isBanned = objection == ReasonCode.BANNED;
            listener.refused(
                    channel,
                    isBanned ? EntryRefusal.ADDRESS_BANNED : EntryRefusal.ADDRESS_RATE,
                    isBanned ? "is banned by its address" : "connects too often");
        }
        return verdict;
    }

    private void addProtocol(ChannelPipeline pipeline) {
        switch (listener.config().kind()) {
            case ListenerKind.Tcp() -> {}
            case ListenerKind.WebSocket(String path) -> addWebSocket(pipeline, path);
        }
    }

    private void addWebSocket(ChannelPipeline pipeline, String path) {
        SocketHandler socket = pipeline.get(SocketHandler.class);
        String last = pipeline.context(socket).name();
        UnfinishedFrame frame = socket.becomeWebSocket();
        HttpDecoderConfig http = new HttpDecoderConfig()
                .setMaxInitialLineLength(MAX_REQUEST_LINE)
                .setMaxHeaderSize(MAX_HEADER_BYTES);
        int maxFrame = listener.config().limits().packets().maxPacketBytes() + FRAME_SLACK;
        WebSocketServerProtocolConfig webSocket = WebSocketServerProtocolConfig.newBuilder()
                .websocketPath(path)
                .checkStartsWith(true) // for the query; WebSocketRequests looks at the path
                .subprotocols(WebSocketRequests.SUBPROTOCOLS)
                .handshakeTimeoutMillis(
                        listener.config().limits().connect().connectTimeout().toMillis())
                .forceCloseTimeoutMillis(listener.network().linger().toMillis())
                .decoderConfig(WebSocketDecoderConfig.newBuilder()
                        .maxFramePayloadLength(maxFrame)
                        .allowExtensions(false)
                        .build())
                .build();
        List.of(
                        frame.beforeDecoder(),
                        new HttpServerCodec(http),
                        frame.behindDecoder(),
                        new HttpObjectAggregator(MAX_REQUEST_BODY),
                        new WebSocketRequests(path, listener, origins),
                        new WebSocketPings(),
                        new WebSocketServerProtocolHandler(webSocket),
                        new WebSocketFraming())
                .forEach(handler -> pipeline.addBefore(last, null, handler));
    }
}
