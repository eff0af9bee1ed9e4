package io.tributary.cluster.link;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/**
 * How sockets are waited for on this machine.
 *
 * @param handlers makes the part of an event loop that waits
 * @param serverChannel the type of a listening socket
 * @param clientChannel the type of a socket that connects
 */
record SocketTransport(
        IoHandlerFactory handlers,
        Class<? extends ServerChannel> serverChannel,
        Class<? extends Channel> clientChannel) {

    /** The fastest that works here: epoll on Linux, and NIO everywhere. */
    static SocketTransport best() {
        return Epoll.isAvailable()
                ? new SocketTransport(
                        EpollIoHandler.newFactory(), EpollServerSocketChannel.class, EpollSocketChannel.class)
                : new SocketTransport(NioIoHandler.newFactory(), NioServerSocketChannel.class, NioSocketChannel.class);
    }
}
