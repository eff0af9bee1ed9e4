/** The log of what administrators change, as a topic. */
@NullMarked
package io.tributary.cluster.kafka.audit;

import org.jspecify.annotations.NullMarked;
