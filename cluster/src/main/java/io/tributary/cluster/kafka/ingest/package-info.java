/** The way back: the topics that back-ends produce to, read by a consumer group. */
@NullMarked
package io.tributary.cluster.kafka.ingest;

import org.jspecify.annotations.NullMarked;
