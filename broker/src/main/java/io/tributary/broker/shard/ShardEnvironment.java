package io.tributary.broker.shard;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.broker.delivery.SessionObserver;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.shard.ShardLog;
import io.tributary.persistence.shard.ShardStore;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * What the owners of a node's shards have in common.
 *
 * @param node this node and its incarnation, as {@code Attach} and {@code Owner} name it
 * @param deadNodes tells of another node or incarnation that it is gone for good
 * @param nodes the ways to the nodes that have the connections
 * @param memory what messages between queues and connections may take
 * @param willMemory what the wills of sessions may take
 * @param clockMillis a monotonic clock of this node, for intervals
 * @param timeMillis the time by which messages expire, the same on all nodes
 * @param onLive told on a shard thread each time that a shard becomes live
 */
record ShardEnvironment(
        ShardConfig config,
        String node,
        Predicate<String> deadNodes,
        ShardLog log,
        ShardStore store,
        AppTopics topics,
        LogAppender appender,
        OwnerTarget.Directory nodes,
        MessageRouting routing,
        SessionObserver observer,
        DeliveryMemory memory,
        DeliveryMemory willMemory,
        LongSupplier clockMillis,
        LongSupplier timeMillis,
        ShardRecorder recorder,
        IntConsumer onLive) {

    boolean isDead(String otherNode) {
        return deadNodes.test(otherNode);
    }
}
