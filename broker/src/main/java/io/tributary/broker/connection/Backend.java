package io.tributary.broker.connection;

import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.routing.ClientRouting;
import io.tributary.broker.routing.RouterOutputs;
import io.tributary.broker.shard.ClientShards;
import io.tributary.broker.subscription.ClientSubscriptions;
import io.tributary.common.thread.RoomQueue;
import io.tributary.common.topic.TopicFilter;
import io.tributary.persistence.limit.ByteBudget;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the node that clients' connections call.
 *
 * @param shards the owners of sessions
 * @param appends the way of messages for persistent sessions into the logs of their shards
 * @param room connections that wait for room in the logs
 * @param view whether this node is current: it knows what the other nodes know
 * @param untilCurrent connections that wait until this node is current
 * @param router matches messages with sessions and sends them there
 * @param share makes the session that the members of a shared subscription of applications have together
 * @param leftBehind for messages that sessions leave behind, until other members of their shared subscriptions have
 *     them
 */
public record Backend(
        ClientShards shards,
        RouterOutputs.SessionAppender appends,
        RoomQueue room,
        NodeView view,
        RoomQueue untilCurrent,
        ClientRouting router,
        ClientSubscriptions subscriptions,
        Function<TopicFilter, CompletionStage<@Nullable Void>> share,
        RetainedMessages retained,
        ByteBudget leftBehind) {

    /** These parts, with no connection waiting. */
    public static Backend of(
            ClientShards shards,
            RouterOutputs.SessionAppender appends,
            NodeView view,
            ClientRouting router,
            ClientSubscriptions subscriptions,
            Function<TopicFilter, CompletionStage<@Nullable Void>> share,
            RetainedMessages retained) {
        return new Backend(
                shards,
                appends,
                new RoomQueue(shards::onRoom),
                view,
                new RoomQueue(view::onCurrent),
                router,
                subscriptions,
                share,
                retained,
                new ByteBudget(TransientRedistributor.MOST_BYTES));
    }
}
