package io.tributary.perf.passthrough;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Hands what is published to those who subscribed to just this topic name, or with a wildcard for its last level, and
 * does nothing else that a broker does: it keeps no sessions and no messages, checks nothing, waits for nobody, and
 * acknowledges at once. What it takes for a small message is about what a broker on Netty takes at least.
 *
 * <p>A program: {@code java io.tributary.perf.passthrough.PassThrough HOST:PORT}.
 */
public final class PassThrough {
    private final Map<String, List<PassThroughClient>> subscribers = new ConcurrentHashMap<>();
    private final Map<EventLoop, PassThroughLoop> loops = new ConcurrentHashMap<>();

    private PassThrough() {}

    /**
     * Listens until the process is killed.
     *
     * @param arguments the address, and the port behind a colon
     */
    public static void main(String[] arguments) {
        String[] address = arguments[0].split(":", -1);
        PassThrough passThrough = new PassThrough();
        IoHandlerFactory handlers = Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        Class<? extends ServerChannel> sockets =
                Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(handlers);
        new ServerBootstrap()
                .group(group)
                .channel(sockets)
                .option(ChannelOption.SO_BACKLOG, 4_096)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        PassThroughLoop loop =
                                passThrough.loops.computeIfAbsent(channel.eventLoop(), PassThroughLoop::new);
                        channel.pipeline().addLast(new PassThroughClient(passThrough, loop, channel));
                    }
                })
                .bind(address[0], Integer.parseInt(address[1]))
                .syncUninterruptibly()
                .channel()
                .closeFuture()
                .syncUninterruptibly();
    }

    /** Those who subscribed to a topic name, or to all names {@link #above} it. */
    List<PassThroughClient> subscribers(String subscribed) {
        return subscribers.getOrDefault(subscribed, List.of());
    }

    /** All levels of a topic name but the last: {@code a/b/} of {@code a/b/c}. */
    static String above(String topic) {
        return topic.substring(0, topic.lastIndexOf('/') + 1);
    }

    void subscribe(String filter, PassThroughClient client) {
        String subscribed = filter.endsWith("/+") || filter.endsWith("/#") ? above(filter) : filter;
        subscribers
                .computeIfAbsent(subscribed, _ -> new CopyOnWriteArrayList<>())
                .add(client);
    }

    void gone(PassThroughClient client) {
        subscribers.values().forEach(those -> those.remove(client));
    }
}
