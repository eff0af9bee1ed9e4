/** The shards: the state machine that the log of each is folded into, and the drivers that feed it and act for it. */
@NullMarked
package io.tributary.broker.shard;

import org.jspecify.annotations.NullMarked;
