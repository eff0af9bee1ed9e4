/** The replicated maps as compacted topics that every node follows. */
@NullMarked
package io.tributary.cluster.kafka.map;

import org.jspecify.annotations.NullMarked;
