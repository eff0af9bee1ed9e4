package io.tributary.broker.shard;

import io.tributary.common.event.QueueEntry.Queued;
import java.util.Collection;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The other nodes of a cluster, as the shards of this node talk to them. Any thread; never blocks. */
public interface OtherNodes {

    /** There are none. */
    OtherNodes NONE = new NoOtherNodes();

    /**
     * The way to another node, as {@link OwnerTarget.Directory#of} says.
     *
     * @param onBreak run a moment after the first break, if the node can be reached still: the owner is to tell
     *     everything again
     */
    OwnerTarget of(String node, int shard, long ownerEpoch, Runnable onBreak);

    /** All other nodes that are alive, as far as is known here. */
    Collection<String> alive();

    /** {@link OwnerTarget.Directory#isCurrent}. */
    boolean isCurrent();

    /** {@link OwnerTarget.Directory#caughtUp}. */
    CompletionStage<@Nullable Void> caughtUp();

    /** Whether another node that can be reached serves a shard. */
    boolean isOwned(int shard);

    /** Whether the last known owner of a shard is a node that is alive, but cannot be reached from here. */
    boolean isOutOfReach(int shard);

    /**
     * This node owns a shard.
     *
     * @param owner takes what this node has for a session of the shard whose connection is elsewhere
     */
    void ownedHere(int shard, long ownerEpoch, OwnerHere owner);

    /**
     * Tells the owner of a shard, if that is another node, that deliveries are done with.
     *
     * @return false when this node owns the shard, or no owner is known
     */
    boolean settle(int shard, String clientId, long epoch, long[] sequences);

    /** Tells the owner of a shard, if that is another node, of PUBRECs; the answer is that of {@link #settle}. */
    boolean received(int shard, String clientId, long epoch, long[] sequences);

    /** The owner of a shard on this node. */
    @FunctionalInterface
    interface OwnerHere {
        /**
         * Passes a message of QoS 0 on to the node of the session's connection: {@link Shards#qos0}.
         *
         * @return false when this node does not serve the shard any more
         */
        boolean qos0(String clientId, long session, Queued message);
    }
}
