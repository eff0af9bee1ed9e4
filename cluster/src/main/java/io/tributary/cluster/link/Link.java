package io.tributary.cluster.link;

/**
 * One connection to one process of another node, from {@link LinkReceiver#onUp} to {@link LinkReceiver#onDown}. When it
 * breaks it stays broken: the next connection is another link, so that nothing that was meant for the state before a
 * break arrives behind it. A sender that must know of breaks keeps the link that it was told of, and sends over that
 * link only.
 *
 * <p>Every method may be called from any thread and never blocks.
 */
public interface Link {

    /** The other end. */
    NodeId peer();

    /** The number of this link: larger than that of every link that this node had before. */
    long generation();

    /**
     * Sends a frame behind all that were accepted before, from whatever thread. What was accepted may still be lost
     * when the link breaks.
     *
     * @param frame not to be changed any more
     * @return false when the frame was not taken: the link is down, or too many bytes wait
     */
    boolean send(byte[] frame);
}
