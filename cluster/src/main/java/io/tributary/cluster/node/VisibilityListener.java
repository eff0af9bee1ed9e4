package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import io.tributary.cluster.node.NodeMessage.MapProgress;
import java.util.Collection;

/**
 * The node's side of {@link ClusterVisibility}: questions to the node, and news for it. Called on any of its threads;
 * must not block.
 */
public interface VisibilityListener {

    /** Sends a message over the links to these nodes; it may get lost, for it is repeated. */
    void send(Collection<NodeId> to, MapProgress progress);

    /**
     * This node is behind positions that other nodes have told, or has caught up. While it is behind, others may have
     * answered a SUBACK without it, so it must read no PUBLISH. On the timer's thread.
     */
    void onBehind(boolean behind);

    /** Counts a node that is left out by the waits for a map, until it has caught up. */
    default void onLeftOut(NodeId node, String map) {}

    /** Counts a wait that failed because too many wait. */
    default void onRefused(String map) {}
}
