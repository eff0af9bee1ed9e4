/** The counters of a node of a cluster, and the only calls of Micrometer in this module. */
@NullMarked
package io.tributary.cluster.metrics;

import org.jspecify.annotations.NullMarked;
