package io.tributary.broker.group;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.routing.RouteCallback;
import io.tributary.broker.routing.Router;
import io.tributary.broker.shard.ConnectionShards;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.mqtt.Message;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * What hosts of shared subscriptions work with.
 *
 * @param node this node and its incarnation
 * @param shards have the sessions
 * @param subscriptions know the members
 * @param connections the members that are connected here
 * @param nodes the way to those that are connected elsewhere
 * @param publisher the way of messages that no member acknowledges
 * @param nanos a clock for intervals
 * @param clock the time by which messages expire, the same on all nodes
 */
public record GroupServices(
        String node,
        ConnectionShards shards,
        Subscriptions subscriptions,
        ConnectionRegistry connections,
        NodeInbox nodes,
        Publisher publisher,
        Limits limits,
        GroupRecorder recorder,
        LongSupplier nanos,
        InstantSource clock) {

    /**
     * The limits of each shared subscription.
     *
     * @param windowMessages how many messages are handed out that are not acknowledged
     * @param windowBytes how much they are
     * @param deliveries how often a message is sent to members that leave it unacknowledged before it is a dead letter;
     *     0 for as often as it takes
     * @param sharedPerClient how many shared subscriptions one client may have
     */
    public record Limits(int windowMessages, int windowBytes, int deliveries, int sharedPerClient) {}

    /** The router, for dead letters. Any thread; never blocks. */
    @FunctionalInterface
    public interface Publisher {
        /** {@link Router#publishKept}. */
        void publishKept(Message message, RouteCallback callback);
    }
}
