package io.tributary.broker.network;

import io.netty.channel.ChannelPipeline;

/** The lowest layer of a connection, above the socket: nothing, or encryption. */
@FunctionalInterface
public interface SocketLayer {

    /** Bytes go over the wire as they are. */
    SocketLayer PLAIN = pipeline -> {};

    /** Adds its handlers to the head of a new connection's pipeline. */
    void addTo(ChannelPipeline pipeline);
}
