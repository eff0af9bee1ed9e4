package io.tributary.cluster.link;

import org.jspecify.annotations.Nullable;

/** A connection to another node, as those know it that decide whether it becomes a link. Any thread. */
interface PeerConnection {
    /** The other end: the node that was dialled, otherwise the node that has authenticated. */
    @Nullable
    NodeId peer();

    /** It is a link from now on, the one with this number. */
    void up(long generation);

    /** There is no link with this peer, which is told so when it connected to us. */
    void refuse(Refusal why);

    /** There is no link with this peer, which is not told. */
    void fail(Refusal why);

    /** The node closes: what was accepted still goes out. */
    void finish();

    /** Closes the connection at once. */
    void close();
}
