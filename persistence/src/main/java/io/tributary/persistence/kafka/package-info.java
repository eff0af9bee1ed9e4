/** The logs and maps of a cluster, as topics of Kafka. */
@NullMarked
package io.tributary.persistence.kafka;

import org.jspecify.annotations.NullMarked;
