/** The record of which generation of shards a cluster has. */
@NullMarked
package io.tributary.cluster.kafka.layout;

import org.jspecify.annotations.NullMarked;
