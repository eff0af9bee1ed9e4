package io.tributary.broker.sys;

import java.util.List;

/**
 * One node's figures of the whole cluster, at one time. A broker that runs alone is a cluster of one node.
 *
 * @param here this node
 * @param others the other nodes that are there and have told their figures lately
 * @param silent the names of those that are there and have not
 * @param knownNodes how many names of nodes there have been, those above counted
 * @param shards how many shards the cluster has
 * @param unownedShards those of them that nobody is known to own
 */
public record ClusterStats(
        Node here, List<Node> others, List<String> silent, int knownNodes, int shards, int unownedShards) {

    /** The state of a node that serves clients. */
    private static final String LIVE = "live";

    public ClusterStats {
        others = List.copyOf(others);
        silent = List.copyOf(silent);
    }

    /**
     * A node that tells its figures.
     *
     * @param name its name
     * @param state where it is in its life, in a word
     * @param stats the node's own figures
     */
    public record Node(String name, String state, NodeStats stats) {
        /** Whether it serves clients, and is not about to leave. */
        public boolean isLive() {
            return state.equals(LIVE);
        }
    }

    /** How many nodes are there. */
    int liveNodes() {
        return 1 + others.size() + silent.size();
    }

    /** The sums of all nodes that have told their figures. */
    SysStats sums() {
        SysStats sums = here.stats().stats();
        for (Node other : others) {
            sums = sums.plus(other.stats().stats());
        }
        return sums;
    }
}
