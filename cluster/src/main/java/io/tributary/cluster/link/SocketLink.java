package io.tributary.cluster.link;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A link that is up, as its receiver and senders have it. */
record SocketLink(NodeId peer, long generation, LinkOutbound outbound, int maxFrameBytes) implements Link {
    private static final Logger LOG = LoggerFactory.getLogger(SocketLink.class);

    @Override
    public boolean send(byte[] frame) {
        if (frame.length == 0) {
            throw new IllegalArgumentException("an empty frame");
        }
        if (frame.length > maxFrameBytes) {
            LOG.error("a frame of {} bytes for {} is not sent: the most is {}", frame.length, peer, maxFrameBytes);
            return false;
        }
        return outbound.offer(frame);
    }

    @Override
    public String toString() {
        return "link " + generation + " to " + peer;
    }
}
