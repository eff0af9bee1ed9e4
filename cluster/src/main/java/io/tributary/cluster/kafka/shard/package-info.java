/**
 * The shards' logs as the partitions of one topic: the node table says who reads which, and a consumer group without
 * members is told how far.
 */
@NullMarked
package io.tributary.cluster.kafka.shard;

import org.jspecify.annotations.NullMarked;
