package io.tributary.broker.routing;

import io.tributary.broker.delivery.DeliveryTarget;
import io.tributary.broker.routing.RouterRecorder.Drop;
import io.tributary.broker.subscription.Grant;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hands the copies of one message straight to this node's connections, and collects those that need a log. One thread. */
final class Delivering implements Selection.Visitor {
    private final DeliveryTarget connections;
    private final RouterRecorder recorder;
    private final Copies copies;
    private @Nullable Recipient first;
    private @Nullable List<Recipient> all;
    private int receivers;

    Delivering(Message message, DeliveryTarget connections, RouterRecorder recorder) {
        this.connections = connections;
        this.recorder = recorder;
        this.copies = new Copies(message);
    }

    @Override
    public void visit(Subscriber subscriber, Grant grant, @Nullable String group) {
        receivers++;
        if (!subscriber.persistent()) {
            connections.deliverTransient(subscriber.identity(), copies.queued(grant, group));
        } else if (copies.qos(grant).isAcknowledged()) {
            append(copies.recipient(subscriber, grant, group));
        } else if (!connections.deliverQos0(
                subscriber.clientId(), subscriber.identity(), copies.queued(grant, group))) {
            recorder.dropped(Drop.OFFLINE);
        }
    }

    /** How many copies there are. */
    int receivers() {
        return receivers;
    }

    /** The copies that are for persistent sessions and acknowledged. */
    List<Recipient> recipients() {
        if (all != null) {
            return all;
        }
        return first == null ? List.of() : List.of(first);
    }

    private void append(Recipient recipient) {
        if (all != null) {
            all.add(recipient);
        } else if (first == null) {
            first = recipient;
        } else {
            all = new ArrayList<>();
            all.add(first);
            all.add(recipient);
        }
    }
}
