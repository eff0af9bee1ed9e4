package io.tributary.broker.network;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;

/**
 * How sockets are waited for on this machine.
 *
 * @param name its name, for the log
 * @param handlers makes the part of an event loop that waits
 * @param serverChannel the type of a listening socket
 */
record Transport(String name, IoHandlerFactory handlers, Class<? extends ServerChannel> serverChannel) {

    /** The fastest that works here: epoll on Linux, and NIO everywhere. */
    static Transport best() {
        return Epoll.isAvailable()
                ? new Transport("epoll", EpollIoHandler.newFactory(), EpollServerSocketChannel.class)
                : new Transport("nio", NioIoHandler.newFactory(), NioServerSocketChannel.class);
    }
}
