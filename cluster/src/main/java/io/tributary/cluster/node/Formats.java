package io.tributary.cluster.node;

/** When a node whose version reads a newer format lets the cluster write it. The same on all nodes. */
public enum Formats {
    /** As soon as all nodes that are there read it. */
    AUTOMATIC,
    /**
     * Once an operator has finished the upgrade; until then nodes can be replaced by those of the version before. One
     * node on hold is enough to keep the whole cluster from it.
     */
    HOLD
}
