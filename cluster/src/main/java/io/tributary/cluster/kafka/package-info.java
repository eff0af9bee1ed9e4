/** A cluster's Kafka: how it is reached, its topics, and records on their way into their partitions. */
@NullMarked
package io.tributary.cluster.kafka;

import org.jspecify.annotations.NullMarked;
