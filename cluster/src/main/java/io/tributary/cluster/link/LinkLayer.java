package io.tributary.cluster.link;

import io.netty.channel.ChannelPipeline;

/** What lies between the socket and everything else of a link: nothing, or encryption. */
@FunctionalInterface
public interface LinkLayer {

    /** Bytes go over the wire as they are. */
    LinkLayer PLAIN = (pipeline, dialing) -> {};

    /**
     * Adds its handlers to the head of a new connection's pipeline.
     *
     * @param dialing whether this node connects to the other, which is the client's part of TLS
     */
    void addTo(ChannelPipeline pipeline, boolean dialing);
}
