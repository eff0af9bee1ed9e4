package io.tributary.perf.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.tributary.perf.scenario.ConnectOptions;
import io.tributary.perf.scenario.Group;
import io.tributary.perf.scenario.MqttOptions;
import io.tributary.perf.scenario.PlannedClient;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Opens connections for clients, on their event loops. Thread-safe. */
final class Dialer {
    private static final int MAX_HTTP_BYTES = 8 * 1024;
    private static final int MAX_FRAME_BYTES = 16 * 1024 * 1024;

    private final MqttOptions mqtt;
    private final ConnectOptions connect;
    private final SocketLayer sockets;
    private final List<InetSocketAddress> addresses;
    private final @Nullable Encryption tls;
    private final Logins logins;

    /**
     * A dialer.
     *
     * @param addresses of the brokers; clients take them in turn
     */
    Dialer(MqttOptions mqtt, ConnectOptions connect, SocketLayer sockets, List<InetSocketAddress> addresses) {
        this.mqtt = mqtt;
        this.connect = connect;
        this.sockets = sockets;
        this.addresses = List.copyOf(addresses);
        tls = Encryption.of(mqtt);
        logins = Logins.of(mqtt);
    }

    /** What a client says of who it is. */
    Logins.Login loginOf(PlannedClient client) {
        return logins.of(client);
    }

    /** Opens a connection; what becomes of it the client is told. */
    void dial(LoadClient client) {
        InetSocketAddress address = addressOf(client);
        Bootstrap bootstrap = new Bootstrap()
                .group(client.loop().eventLoop())
                .channel(sockets.channel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        connect.timeout().toMillis())
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        addHandlers(channel, client, address);
                    }
                });
        if (sockets.channel() == EpollSocketChannel.class) {
            bootstrap.option(EpollChannelOption.IP_BIND_ADDRESS_NO_PORT, true);
        }
        var _ = bootstrap.connect(address, source(client)).addListener(done -> {
            Throwable cause = done.cause();
            if (cause != null) {
                client.failed(new ConnectException("no connection to " + address + ": " + cause.getMessage(), cause));
            }
        });
    }

    /** Clients take the brokers in turn, the two of a pair different ones, and always the same. */
    private InetSocketAddress addressOf(LoadClient client) {
        Group group = client.planned().group();
        int place = client.planned().index() + (group.publish() == null ? 0 : 1);
        List<Integer> brokers = group.brokers();
        return addresses.get(brokers.isEmpty() ? place % addresses.size() : brokers.get(place % brokers.size()) - 1);
    }

    private @Nullable SocketAddress source(LoadClient client) {
        if (connect.sourceAddresses() == 1) {
            return null;
        }
        int last = 1 + client.planned().number() % connect.sourceAddresses();
        return new InetSocketAddress("127.0.0." + last, 0);
    }

    private void addHandlers(Channel channel, LoadClient client, InetSocketAddress address) {
        ChannelPipeline pipeline = channel.pipeline();
        if (tls != null) {
            pipeline.addLast(tls.handler(channel.alloc(), client.planned(), address));
        }
        boolean webSocket = mqtt.transport().isWebSocket();
        if (webSocket) {
            URI uri = URI.create(String.format(
                    Locale.ROOT,
                    "%s://%s:%d%s",
                    tls == null ? "ws" : "wss",
                    address.getHostString(),
                    address.getPort(),
                    mqtt.path()));
            pipeline.addLast(
                    new HttpClientCodec(),
                    new HttpObjectAggregator(MAX_HTTP_BYTES),
                    new WebSocketClientProtocolHandler(WebSocketClientProtocolConfig.newBuilder()
                            .webSocketUri(uri)
                            .version(WebSocketVersion.V13)
                            .subprotocol("mqtt")
                            .allowExtensions(false)
                            .customHeaders(new DefaultHttpHeaders())
                            .maxFramePayloadLength(MAX_FRAME_BYTES)
                            .handshakeTimeoutMillis(connect.timeout().toMillis())
                            .build()),
                    new WebSocketBytes());
        }
        pipeline.addLast(new Connection(channel, client, client.loop().turnEnd(), mqtt.protocol(), webSocket));
    }
}
