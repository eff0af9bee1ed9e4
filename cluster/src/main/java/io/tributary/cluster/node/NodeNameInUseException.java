package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;

/** Another process is up under the name of this node, so this one must not start. */
public final class NodeNameInUseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NodeNameInUseException(NodeId other, NodeRecord otherRecord) {
        super("a node named '" + other.name() + "' is up already (" + other + " at " + otherRecord.host() + ":"
                + otherRecord.port() + "): every node of a cluster needs a name of its own");
    }
}
