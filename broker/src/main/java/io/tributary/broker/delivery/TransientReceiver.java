package io.tributary.broker.delivery;

import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.thread.RoomQueue;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages that another node hands over for transient sessions of this node, through its {@link NodeInbox}. Never
 * blocks.
 */
@FunctionalInterface
public interface TransientReceiver {
    /**
     * Takes a message.
     *
     * @param members those that shared subscriptions chose, by the numbers of their connections on this node
     * @param matching whether it is also for every transient session that it matches here
     * @param publisher told what the publisher is to wait for before it publishes more; null when it never waits
     */
    void take(Message message, List<Recipient> members, boolean matching, @Nullable Consumer<RoomQueue> publisher);
}
