package io.tributary.broker.network;

import io.netty.channel.ChannelPipeline;

/** What lies between the socket and everything else of a connection: nothing, or encryption. */
@FunctionalInterface
public interface SocketLayer {

    /** Bytes go over the wire as they are. */
    SocketLayer PLAIN = pipeline -> {};

    /** Adds its handlers to the head of a new connection's pipeline. */
    void addTo(ChannelPipeline pipeline);
}
