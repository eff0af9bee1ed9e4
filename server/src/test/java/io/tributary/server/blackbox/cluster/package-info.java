/**
 * Whole clusters of real processes, and what they keep while their parts are killed, paused and set back in time.
 *
 * <p>{@link io.tributary.server.blackbox.cluster.TestCluster} is there for other tests too. The long form of
 * {@code FaultsTest} is in docs/robustness.md.
 */
@NullMarked
package io.tributary.server.blackbox.cluster;

import org.jspecify.annotations.NullMarked;
