package io.tributary.cluster.link;

/** A link that is up, as its receiver and senders have it. */
record SocketLink(NodeId peer, long generation, LinkOutbound outbound) implements Link {
    @Override
    public boolean send(byte[] frame) {
        if (frame.length == 0 || frame.length > LinkConfig.LARGEST_FRAME_BYTES) {
            throw new IllegalArgumentException("a frame of " + frame.length + " bytes");
        }
        return outbound.offer(frame);
    }

    @Override
    public String toString() {
        return "link " + generation + " to " + peer;
    }
}
