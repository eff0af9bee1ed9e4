package io.tributary.broker.shard;

import java.util.Collection;
import java.util.List;

/** The other nodes of a node that is alone. */
class NoOtherNodes implements OtherNodes {
    @Override
    public OwnerTarget of(String node, int shard, long ownerEpoch) {
        return OwnerTarget.NOBODY; // an earlier incarnation of this node
    }

    @Override
    public Collection<String> alive() {
        return List.of();
    }

    @Override
    public boolean isOutOfReach(int shard) {
        return false;
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
}
