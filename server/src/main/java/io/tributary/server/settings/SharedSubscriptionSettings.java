package io.tributary.server.settings;

import io.tributary.broker.subscription.SharedChoice;
import io.tributary.broker.subscription.SharedStrategy;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Shared subscriptions ({@code $share/group/filter}).
 *
 * @param strategy Which member gets a message. {@code round-robin}: one after the other. {@code least-in-flight}: the
 *     one with the fewest unacknowledged messages; a node of a cluster knows that of the clients that are connected to
 *     it, and those of other nodes have their turn. With both, a device that acknowledges nothing for three seconds
 *     gets nothing more while others do. {@code sticky-by-publisher}: the same one for all messages of a publisher.
 *     {@code hash-of-topic}: the same one for all messages on a topic.
 * @param localFirst In a cluster: whether members that are connected to the same node as the publisher go before those
 *     on other nodes, which saves a hop. The strategy then chooses among them: the same topic or publisher may have
 *     another member on each node, and a member on a node without publishers gets nothing as long as the others' nodes
 *     have one.
 */
public record SharedSubscriptionSettings(
        @DefaultValue("round-robin") SharedStrategy strategy,
        @DefaultValue("false") boolean localFirst) {

    void change(SharedChoice.Builder to) {
        to.strategy(strategy).localFirst(localFirst);
    }
}
