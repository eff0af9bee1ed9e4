package io.tributary.cluster.node;

/**
 * The nodes of the cluster have written records of a format that this version cannot read, or a node that is up writes
 * such ones, so this process must not start.
 */
public final class NodeTooOldException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NodeTooOldException(int written, int newest) {
        super("the nodes of this cluster write records of format " + written + ", and this version reads formats up to "
                + newest + ": start the version that the other nodes run, or a newer one");
    }

    NodeTooOldException(String node) {
        super("node " + node + " is up, and writes records of the node table that this version cannot read: start the"
                + " version that the other nodes run, or a newer one");
    }
}
