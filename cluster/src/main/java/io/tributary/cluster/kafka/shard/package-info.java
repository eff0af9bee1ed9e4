/** The shards' logs as the partitions of one topic, which a consumer group shares out. */
@NullMarked
package io.tributary.cluster.kafka.shard;

import org.jspecify.annotations.NullMarked;
