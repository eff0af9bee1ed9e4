package io.tributary.cluster.link;

/**
 * Told what comes over links. For one link all calls come from its event loop, in the order given here, and must not
 * block; links of different peers have different loops. Of one peer's name there is never more than one link up.
 *
 * <p>A receiver that throws breaks the link.
 */
public interface LinkReceiver {

    /** There is a link: before its first frame. What was sent over an earlier link of this peer may be lost. */
    void onUp(Link link);

    /** A frame came; the array is the receiver's. */
    void onFrame(Link link, byte[] frame);

    /** All frames that one read brought were handed over: the time to answer them in one. */
    default void onFramesRead(Link link) {}

    /**
     * A machine that can be reached has nobody who listens where a peer should, with which there is no link: its
     * process is gone, or its address is wrong. Any thread.
     */
    default void onRefused(NodeId peer) {}

    /** The link is gone: after its last frame, and before the next link of this peer is up. */
    void onDown(Link link);
}
