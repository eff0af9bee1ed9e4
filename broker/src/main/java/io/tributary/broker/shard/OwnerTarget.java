package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.QueueEntry;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A node's connections, as the owner of one shard talks to them. Never blocks; does nothing for a connection that is
 * gone. A connection is named by the number that it had in its {@code Attach}.
 */
public interface OwnerTarget {

    /** A connection has its session; see {@link io.tributary.broker.delivery.Endpoint#attached}. */
    void attached(long connection, Attached attached);

    /**
     * A connection has its session, and is told so once an application's topic is there: {@link #allAttached}, which
     * does not wait for that, leaves it alone.
     *
     * @return false when the node does not know of this, so that it is to be told {@link #attached} first
     */
    boolean attachedLater(long connection);

    /**
     * Every connection of the node that has a session of the shard was told so since this way was asked for, or is told
     * later: the others have none.
     *
     * @param upTo the offset up to which the log is folded; connections whose {@code Attach} is behind it are not meant
     */
    void allAttached(long upTo);

    /** A connection does not get its session; see {@link io.tributary.broker.delivery.Endpoint#refused}. */
    void refused(long connection, AttachRefusal reason);

    /**
     * Another connection has the session now.
     *
     * @return whether the node is told: then how the connection ended follows in the log, as a rule
     */
    boolean takenOver(long connection);

    /**
     * Asks the node whether it has told this owner all acknowledgements of a connection that it knows of. The answer,
     * which is {@link Shards#allSettled}, comes behind them; a broken link brings none.
     *
     * @param epoch the epoch of the connection, which need not be there any more
     * @return false when there is no answer to wait for: the node is this one, whose acknowledgements come at once, or
     *     it cannot be asked
     */
    boolean askForAllSettled(String clientId, long epoch);

    /** Hands over entries of the session's queue. */
    void deliver(long connection, List<Delivery> deliveries);

    /** The PUBRECs of these sequence numbers are logged. */
    void receivedLogged(long connection, long[] sequences);

    /**
     * A QoS 2 message that a persistent publisher's connection had relayed was folded: it is forwarded whatever
     * happens. Never said of one whose connection had lost the session before.
     *
     * @param epoch the epoch of the connection
     */
    void relayed(long epoch, int packetId);

    /**
     * Hands over a message of QoS 0 for a session that has its connection there. It may get lost; other calls do not
     * get lost with it.
     */
    void qos0(String clientId, long session, QueueEntry.Queued message);

    /** The connections of a node that is gone. */
    OwnerTarget NOBODY = new OwnerTarget() {
        @Override
        public void attached(long connection, Attached attached) {}

        @Override
        public boolean attachedLater(long connection) {
            return true;
        }

        @Override
        public void allAttached(long upTo) {}

        @Override
        public void refused(long connection, AttachRefusal reason) {}

        @Override
        public boolean takenOver(long connection) {
            return false;
        }

        @Override
        public boolean askForAllSettled(String clientId, long epoch) {
            return false;
        }

        @Override
        public void deliver(long connection, List<Delivery> deliveries) {}

        @Override
        public void receivedLogged(long connection, long[] sequences) {}

        @Override
        public void relayed(long epoch, int packetId) {}

        @Override
        public void qos0(String clientId, long session, QueueEntry.Queued message) {}
    };

    /** The ways to the nodes. Any thread. */
    interface Directory {
        /**
         * The way to a node. What goes over it keeps its order up to a first break, and from there on is lost as a
         * whole: an owner that hears that the node can be reached again asks for a new way and tells everything again.
         *
         * @param node the node and its incarnation, as an {@code Attach} names it
         * @param ownerEpoch the epoch of the owner that calls; an owner is ignored once a newer one has called
         */
        OwnerTarget of(String node, int shard, long ownerEpoch);

        /** All nodes that are alive, as far as is known here. */
        Collection<String> alive();

        /**
         * Whether this node knows what the others know: one that was paused decides nothing before it has caught up.
         */
        default boolean isCurrent() {
            return true;
        }

        /** Completes when every node is known here that was there at the time of the call, and so was every death. */
        default CompletionStage<@Nullable Void> caughtUp() {
            return CompletableFuture.completedStage(null);
        }
    }
}
