package io.tributary.broker.shard;

/** The other nodes of a cluster, as the shards of this node talk to them. Any thread; never blocks. */
public interface OtherNodes extends OwnerTarget.Directory {

    /** There are none. */
    OtherNodes NONE = new NoOtherNodes();

    /** Whether another node that can be reached serves a shard. */
    boolean isOwned(int shard);

    /** Whether the last known owner of a shard is a node that is alive, but cannot be reached from here. */
    boolean isOutOfReach(int shard);

    /** This node owns a shard. */
    void ownedHere(int shard, long ownerEpoch);

    /**
     * Tells the owner of a shard, if that is another node, that deliveries are done with.
     *
     * @return false when it is this node, or nobody is known to own it
     */
    boolean settle(int shard, String clientId, long epoch, long[] sequences);

    /** Tells the owner of a shard, if that is another node, of PUBRECs; the answer is that of {@link #settle}. */
    boolean received(int shard, String clientId, long epoch, long[] sequences);
}
