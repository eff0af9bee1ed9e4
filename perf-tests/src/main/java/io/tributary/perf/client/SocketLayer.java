package io.tributary.perf.client;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;

/**
 * How sockets are waited for on this machine.
 *
 * @param handlers makes the part of an event loop that waits
 * @param channel the type of a socket
 */
record SocketLayer(IoHandlerFactory handlers, Class<? extends Channel> channel) {

    /** The fastest that works here: epoll on Linux, and NIO everywhere. */
    static SocketLayer best() {
        return Epoll.isAvailable()
                ? new SocketLayer(EpollIoHandler.newFactory(), EpollSocketChannel.class)
                : new SocketLayer(NioIoHandler.newFactory(), NioSocketChannel.class);
    }
}
