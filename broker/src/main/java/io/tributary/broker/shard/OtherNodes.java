package io.tributary.broker.shard;

import java.util.Collection;
import java.util.List;

/** The other nodes of a cluster, as the shards of this node talk to them. Any thread; never blocks. */
public interface OtherNodes extends OwnerTarget.Directory {

    /** There are none. */
    OtherNodes NONE = new OtherNodes() {
        @Override
        public OwnerTarget of(String node, int shard, long ownerEpoch) {
            return OwnerTarget.NOBODY; // an earlier incarnation of this node
        }

        @Override
        public Collection<String> alive() {
            return List.of();
        }

        @Override
        public void ownedHere(int shard, long ownerEpoch) {}

        @Override
        public boolean isOwned(int shard) {
            return false;
        }

        @Override
        public boolean settle(int shard, String clientId, long epoch, long[] sequences) {
            return false;
        }

        @Override
        public boolean received(int shard, String clientId, long epoch, long[] sequences) {
            return false;
        }
    };

    /** Whether another node that can be reached serves a shard. */
    boolean isOwned(int shard);

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
