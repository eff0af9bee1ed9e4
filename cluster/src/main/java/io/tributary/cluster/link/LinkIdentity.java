package io.tributary.cluster.link;

/**
 * Who this node is to others, and how it proves that.
 *
 * @param self this process of this node
 * @param clusterId the cluster it belongs to
 * @param secret what the cluster's nodes know
 */
record LinkIdentity(NodeId self, String clusterId, ClusterSecret secret) {}
