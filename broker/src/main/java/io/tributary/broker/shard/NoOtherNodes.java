package io.tributary.broker.shard;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The other nodes of a node that is alone. */
class NoOtherNodes implements OtherNodes {
    @Override
    public OwnerTarget of(String node, int shard, long ownerEpoch, Runnable onBreak) {
        return OwnerTarget.NOBODY; // an earlier incarnation of this node
    }

    @Override
    public Collection<String> alive() {
        return List.of();
    }

    @Override
    public boolean isCurrent() {
        return true;
    }

    @Override
    public CompletionStage<@Nullable Void> caughtUp() {
        return CompletableFuture.completedStage(null);
    }

    @Override
    public boolean isOutOfReach(int shard) {
        return false;
    }

    @Override
    public void ownedHere(int shard, long ownerEpoch, OwnerHere owner) {}

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
