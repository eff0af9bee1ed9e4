/** Which generation of shards a cluster has, and the topic of each. */
@NullMarked
package io.tributary.cluster.kafka.layout;

import org.jspecify.annotations.NullMarked;
