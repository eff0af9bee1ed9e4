package io.tributary.broker.routing;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;

/**
 * The way of each message: authorise, intercept, retain, match, hand to every destination, and tell the publisher when all
 * of them have it. Any thread; never blocks. Messages that one thread routes keep their order towards each destination.
 */
public final class Router implements MessageRouting {

    /**
     * Routes a message of QoS 0 or 1, or of QoS 2 from a transient session. A QoS 2 message of a persistent session goes
     * to the publisher's shard with the packet identifier, and is safe when it is logged there.
     *
     * @param packetId the packet identifier of a QoS 2 message, otherwise 0
     */
    public void publish(Publisher publisher, Message message, int packetId, RouteCallback callback) {
        throw new UnsupportedOperationException();
    }

    /** Routes a message of the broker itself or of the embedding application: not authorised, not intercepted. */
    public void publish(Message message, RouteCallback callback) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Destinations match(Message message) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Destinations matchGroup(Message message, Recipient leaving) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void deliverTransient(Message message, Destinations destinations) {
        throw new UnsupportedOperationException();
    }
}
