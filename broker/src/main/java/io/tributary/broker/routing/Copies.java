package io.tributary.broker.routing;

import io.tributary.broker.subscription.Grant;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the copies of one message. One thread; receivers that get the same share one object. */
final class Copies {
    private final Message message;
    private @Nullable Queued last;

    Copies(Message message) {
        this.message = message;
    }

    /** The quality of service that a copy has [MQTT-3.8.4-8]. */
    QoS qos(Grant grant) {
        return message.qos().min(grant.qos());
    }

    /** The copy that a log or a relay names. */
    Recipient recipient(Subscriber subscriber, Grant grant, @Nullable String group) {
        return new Recipient(
                subscriber.clientId(),
                subscriber.identity(),
                qos(grant),
                retain(grant),
                grant.subscriptionIds(),
                group,
                subscriber.persistent() ? subscriber.kind() : ClientKind.DEVICE);
    }

    /** The copy that goes straight to a connection. */
    Queued queued(Grant grant, @Nullable String group) {
        return queued(qos(grant), retain(grant), grant.subscriptionIds(), group);
    }

    /** The copy of a recipient that was chosen before. */
    Queued queued(Recipient recipient) {
        return queued(recipient.qos(), recipient.retain(), recipient.subscriptionIds(), recipient.group());
    }

    private Queued queued(QoS qos, boolean retain, List<Integer> subscriptionIds, @Nullable String group) {
        Queued shared = last;
        if (shared == null
                || group != null
                || shared.group() != null
                || shared.qos() != qos
                || shared.retain() != retain
                || !shared.subscriptionIds().equals(subscriptionIds)) {
            shared = new Queued(message, qos, retain, subscriptionIds, group);
            last = shared;
        }
        return shared;
    }

    /** RETAIN is passed on only to subscriptions that asked for it [MQTT-3.3.1-12, MQTT-3.3.1-13]. */
    private boolean retain(Grant grant) {
        return message.retain() && grant.retainAsPublished();
    }
}
