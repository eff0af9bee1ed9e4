/** A broker as a node of a cluster: Kafka and Redis Cluster behind it, links to the other nodes. */
@NullMarked
package io.tributary.cluster;

import org.jspecify.annotations.NullMarked;
