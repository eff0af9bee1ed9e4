package io.tributary.broker.routing;

import io.tributary.broker.subscription.Grant;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.NodeShare;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the destinations of one message for a log. Transient sessions are not named but matched again by their node
 * when it is forwarded, except for the members that shared subscriptions chose: these stay chosen. Persistent sessions
 * that get it with QoS 0 are named as this node's, for only one node may look after them. One thread.
 */
final class CollectingVisitor implements Selection.Visitor {
    private final String here;
    private final Copies copies;
    private final List<Recipient> devices = new ArrayList<>();
    private final Shares shares = new Shares();
    private boolean matchesHere;

    /** @param here the name of this node */
    CollectingVisitor(Message message, String here) {
        this.here = here;
        this.copies = new Copies(message);
    }

    @Override
    public void visit(Subscriber subscriber, Grant grant, @Nullable String group) {
        if (subscriber.persistent() && copies.qos(grant).isAcknowledged()) {
            devices.add(copies.recipient(subscriber, grant, group));
        } else if (subscriber.persistent() || group != null) {
            shares.add(
                    subscriber.node() == null ? here : subscriber.node(), copies.recipient(subscriber, grant, group));
        } else {
            matchesHere = true;
        }
    }

    /**
     * The recipients that were visited, and these nodes.
     *
     * @param others the other nodes that match the message themselves
     */
    Destinations destinations(List<String> others) {
        List<String> matching = others;
        if (matchesHere) {
            matching = new ArrayList<>(others);
            matching.add(here);
        }
        List<NodeShare> nodes = shares.of(matching);
        return devices.isEmpty() && nodes.isEmpty() ? Destinations.NONE : new Destinations(devices, nodes);
    }
}
