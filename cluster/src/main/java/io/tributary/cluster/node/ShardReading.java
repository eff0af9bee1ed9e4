package io.tributary.cluster.node;

import java.util.Set;

/** What reads the shards of this node: told which those are. No method may block; any thread, one at a time. */
public interface ShardReading {

    /**
     * These are the shards of this node from now on.
     *
     * @param released to be run, on any thread, once nothing is done any more for those shards that were this node's
     *     and are not among these: another node waits for that, a moment
     */
    void assign(Set<Integer> shards, Runnable released);

    /**
     * A shard will be this node's soon, and is another node's still.
     *
     * @param ready to be run once, on any thread, when what can be done before is done: the other node waits for that,
     *     some seconds
     */
    void expect(int shard, Runnable ready);

    /** Whether no other node is alive, as far as the node table says; told whenever that changes. */
    void onlyNode(boolean isNow);

    /** A shard of this node will be another node's soon, which prepares for it. */
    void leave(int shard);
}
