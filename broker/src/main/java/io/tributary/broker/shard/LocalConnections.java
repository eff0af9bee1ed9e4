package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.Delivery;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.QueueEntry;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The way of owners of shards, from here or from other nodes, to this node's connections: listens to no owner of a
 * shard when a newer one has spoken. So a paused owner that wakes up does no harm. Any thread; never blocks.
 *
 * <p>Decided in docs/decisions/0006-the-owner-names-connections.md.
 */
final class LocalConnections {
    private final ConnectionRegistry connections;
    private final Relays relays;
    private final ToIntFunction<String> shardOf;
    private final AtomicLongArray newestOwner;

    LocalConnections(ConnectionRegistry connections, Relays relays, ToIntFunction<String> shardOf, int shards) {
        this.shardOf = shardOf;
        this.connections = connections;
        this.relays = relays;
        newestOwner = new AtomicLongArray(shards);
    }

    /** A way of an owner to the connections; one thread at a time. */
    OwnerTarget from(int shard, long ownerEpoch) {
        return new FromOwner(shard, ownerEpoch);
    }

    private final class FromOwner implements OwnerTarget {
        private final int shard;
        private final long epoch;
        /** The connections that were told that they have their session, or are later, until all have been. */
        private @Nullable Set<Long> told = new HashSet<>();

        private FromOwner(int shard, long epoch) {
            this.shard = shard;
            this.epoch = epoch;
        }

        private boolean isNewest() {
            return newestOwner.get(shard) == epoch || newestOwner.accumulateAndGet(shard, epoch, Math::max) == epoch;
        }

        @Override
        public void attached(long connection, Attached attached) {
            if (isNewest()) {
                has(connection);
                connections.attached(connection, attached);
                relays.named(shard, attached.epoch(), attached.inboundPacketIds(), attached.foldedUpTo());
            }
        }

        @Override
        public boolean attachedLater(long connection) {
            if (isNewest()) {
                has(connection);
            }
            return true;
        }

        private void has(long connection) {
            if (told != null) {
                told.add(connection);
            }
        }

        @Override
        public void allAttached(long upTo) {
            Set<Long> all = told;
            if (all != null && isNewest()) {
                connections.onlyTheseAttached(clientId -> shardOf.applyAsInt(clientId) == shard, all::contains, upTo);
            }
            told = null;
        }

        @Override
        public void refused(long connection, AttachRefusal reason) {
            if (isNewest()) {
                connections.refused(connection, reason);
            }
        }

        @Override
        public boolean takenOver(long connection) {
            boolean isNewest = isNewest();
            if (isNewest) {
                connections.takenOver(connection);
            }
            return isNewest;
        }

        /** Acknowledgements of connections here are queued for the owner before it reads on in the log. */
        @Override
        public boolean askForAllSettled(String clientId, long epochOfConnection) {
            return false;
        }

        @Override
        public void deliver(long connection, List<Delivery> deliveries) {
            if (isNewest()) {
                connections.deliver(connection, deliveries);
            }
        }

        @Override
        public void receivedLogged(long connection, long[] sequences) {
            if (isNewest()) {
                connections.receivedLogged(connection, sequences);
            }
        }

        @Override
        public void relayed(long epochOfConnection, int packetId) {
            if (isNewest()) {
                relays.accepted(shard, epochOfConnection, packetId);
            }
        }

        @Override
        public void qos0(String clientId, long session, QueueEntry.Queued message) {
            if (isNewest()) {
                connections.deliverQos0(clientId, session, message);
            }
        }
    }
}
