package io.tributary.broker.group;

import io.tributary.broker.delivery.DeliveryTarget;
import io.tributary.broker.delivery.MemberTarget;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.subscription.Subscriptions;
import java.util.function.BiPredicate;

/**
 * What hosts of shared subscriptions work with.
 *
 * @param node this node and its incarnation
 * @param shards have the sessions
 * @param subscriptions know the members
 * @param members the members that are connected here
 * @param connections the same, for messages of QoS 0
 * @param nodes the way to those that are connected elsewhere
 * @param mayReceive whether a client may receive what is published on a topic
 * @param window how much a session has handed out that is not acknowledged
 */
public record GroupServices(
        String node,
        Shards shards,
        Subscriptions subscriptions,
        MemberTarget members,
        DeliveryTarget connections,
        NodeInbox nodes,
        BiPredicate<String, String> mayReceive,
        Window window,
        GroupRecorder recorder) {

    /** The limits of the sessions' connections. */
    public record Window(int messages, int bytes) {}
}
