package io.tributary.broker.routing;

import io.tributary.broker.subscription.Grant;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the destinations of one message for a log. Connections are not named but matched again when it is handed on,
 * except for the members that shared subscriptions chose: these stay chosen. One thread.
 */
final class Collecting implements Selection.Visitor {
    private final String node;
    private final Copies copies;
    private final List<Recipient> devices = new ArrayList<>();
    private final List<Recipient> transients = new ArrayList<>();
    private boolean here;

    /** @param node the name of this node */
    Collecting(Message message, String node) {
        this.node = node;
        this.copies = new Copies(message);
    }

    @Override
    public void visit(Subscriber subscriber, Grant grant, @Nullable String group) {
        boolean logged = subscriber.persistent() && copies.qos(grant).isAcknowledged();
        here |= !logged;
        if (logged) {
            devices.add(copies.recipient(subscriber, grant, group));
        } else if (group != null) {
            transients.add(copies.recipient(subscriber, grant, group));
        }
    }

    Destinations destinations() {
        if (devices.isEmpty() && !here) {
            return Destinations.NONE;
        }
        return new Destinations(devices, transients, here ? List.of(node) : List.of());
    }
}
