package io.tributary.broker.routing;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.common.thread.RoomQueue;
import io.tributary.persistence.shard.AppendCallback;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ways out of the router; methods of the shards serve as the latter two.
 *
 * @param connections this node's connections
 * @param nodes the other nodes
 * @param sessions the logs of the receiving sessions' shards
 * @param publishers the logs of the publishers' shards
 */
public record RouterOutputs(
        ConnectionRegistry connections, NodeInbox nodes, SessionAppender sessions, RelayAppender publishers) {

    /**
     * Hands a message of QoS 0 to a persistent session, here or elsewhere; tells whether it may arrive.
     *
     * @param publisher told what the publisher is to wait for before it publishes more; null when it never waits
     */
    boolean deliverQos0(String clientId, long session, Queued copy, @Nullable Consumer<RoomQueue> publisher) {
        return connections.deliverQos0(clientId, session, copy, publisher)
                || nodes.deliverQos0(clientId, session, copy);
    }

    /** Appends a message for persistent sessions to the logs of their shards. Any thread; never blocks. */
    @FunctionalInterface
    public interface SessionAppender {
        /**
         * Appends a message, in as many records as the shards need.
         *
         * @param recipients at least one, with QoS 1 or 2
         * @param source where it is forwarded from, or null for a message straight from its publisher
         * @param callback called once, when all records are durable
         */
        void publish(Message message, List<Recipient> recipients, @Nullable Source source, AppendCallback callback);
    }

    /** Appends QoS 2 messages of persistent publishers to the publishers' shards. Any thread; never blocks. */
    @FunctionalInterface
    public interface RelayAppender {
        /**
         * Appends a message with its destinations, to which the shard's owner forwards it.
         *
         * @param isAwaited whether the publisher's connection is still there; any thread
         */
        void relay(ShardEvent.Relay relay, BooleanSupplier isAwaited, AppendCallback callback);
    }
}
