/**
 * The nodes of a cluster: which there are, what they tell each other over their direct connections and its encoding,
 * and how far each has followed the replicated maps. A process here is one incarnation of a node.
 */
@NullMarked
package io.tributary.cluster.node;

import org.jspecify.annotations.NullMarked;
