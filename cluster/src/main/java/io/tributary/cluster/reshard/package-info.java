/** Changing the number of a cluster's shards while no node runs. */
@NullMarked
package io.tributary.cluster.reshard;

import org.jspecify.annotations.NullMarked;
