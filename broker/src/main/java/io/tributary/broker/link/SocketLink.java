package io.tributary.broker.link;

/** A link that is up, as its receiver and senders have it. */
record SocketLink(NodeId peer, long generation, LinkChannel channel, LinkOutbound outbound, int maxFrameBytes)
        implements Link {

    @Override
    public boolean send(byte[] frame) {
        if (frame.length == 0 || frame.length > maxFrameBytes) {
            throw new IllegalArgumentException(
                    "a frame of " + frame.length + " bytes: must have 1 to " + maxFrameBytes);
        }
        return outbound.offer(frame);
    }

    @Override
    public void pauseReading() {
        channel.pause(true);
    }

    @Override
    public void resumeReading() {
        channel.pause(false);
    }

    @Override
    public String toString() {
        return "link " + generation + " to " + peer;
    }
}
