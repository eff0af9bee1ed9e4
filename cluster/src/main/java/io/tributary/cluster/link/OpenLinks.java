package io.tributary.cluster.link;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The links of this node that are up, at most one a peer; {@link NodeLinks} opens and closes them. Any thread. */
public final class OpenLinks {
    private final ConcurrentMap<NodeId, SocketLink> byPeer = new ConcurrentHashMap<>();

    /** Creates it, with no link. */
    public OpenLinks() {}

    /**
     * Sends a frame over the link to the node that is up now, whichever that is: for what makes sense by itself. A
     * sender that must know of breaks uses {@link Link#send}. Any thread; never blocks.
     *
     * @return false when the frame was not taken: there is no link, or too many bytes wait
     */
    public boolean send(NodeId to, byte[] frame) {
        SocketLink link = byPeer.get(to);
        return link != null && link.send(frame);
    }

    void up(NodeId peer, SocketLink link) {
        byPeer.put(peer, link);
    }

    void down(SocketLink link) {
        byPeer.remove(link.peer(), link);
    }
}
