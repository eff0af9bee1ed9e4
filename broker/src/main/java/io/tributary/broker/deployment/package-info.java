/**
 * The place of a broker, alone or among the nodes of a cluster: what a broker stands on, as interfaces. A broker alone
 * has implementations of its own, the cluster module those for nodes of a cluster.
 */
@NullMarked
package io.tributary.broker.deployment;

import org.jspecify.annotations.NullMarked;
