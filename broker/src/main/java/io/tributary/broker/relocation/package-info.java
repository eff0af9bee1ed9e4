/** Clients that are to be at another node: a node is drained before it stops, connections are rebalanced over nodes. */
@NullMarked
package io.tributary.broker.relocation;

import org.jspecify.annotations.NullMarked;
