package io.tributary.cluster.node;

import java.util.Set;

/** What reads the shards of this node: told which those are. */
@FunctionalInterface
public interface ShardReading {

    /**
     * These are the shards of this node from now on. Must not block; any thread, one at a time.
     *
     * @param released to be run, on any thread, once nothing is done any more for those shards that were this node's
     *     and are not among these: another node waits for that, a moment
     */
    void assign(Set<Integer> shards, Runnable released);
}
