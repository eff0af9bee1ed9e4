/** The shards' state on a Redis Cluster: one hash slot a shard, one script a save point. */
@NullMarked
package io.tributary.cluster.redis;

import org.jspecify.annotations.NullMarked;
