/** The direct connections between the nodes of a cluster: ordered, bounded, authenticated, not durable. */
@NullMarked
package io.tributary.cluster.link;

import org.jspecify.annotations.NullMarked;
