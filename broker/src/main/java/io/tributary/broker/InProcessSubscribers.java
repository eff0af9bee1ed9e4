package io.tributary.broker;

import io.tributary.broker.delivery.DeliveryTarget;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.mqtt.Message;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subscriptions of the embedding application, in front of the node's connections: to the router each is a transient
 * session with a connection number below zero, which no connection has. Thread-safe.
 */
final class InProcessSubscribers implements DeliveryTarget {
    private static final Logger LOG = LoggerFactory.getLogger(InProcessSubscribers.class);

    private final DeliveryTarget connections;
    private final ConcurrentMap<Long, Consumer<Message>> consumers = new ConcurrentHashMap<>();
    private final AtomicLong lastNumber = new AtomicLong();

    InProcessSubscribers(DeliveryTarget connections) {
        this.connections = connections;
    }

    /** Adds a consumer; returns its connection number. */
    long add(Consumer<Message> consumer) {
        long number = lastNumber.decrementAndGet();
        consumers.put(number, consumer);
        return number;
    }

    void remove(long number) {
        consumers.remove(number);
    }

    @Override
    public void deliverTransient(long connection, QueueEntry.Queued message) {
        if (connection >= 0) {
            connections.deliverTransient(connection, message);
            return;
        }
        Consumer<Message> consumer = consumers.get(connection);
        if (consumer == null) {
            return;
        }
        try {
            consumer.accept(message.message().withRetain(message.retain()));
        } catch (RuntimeException e) {
            LOG.warn("a subscriber of the embedding application failed", e);
        }
    }

    @Override
    public void deliverToMember(String clientId, long connection, QueueEntry.Queued message) {
        if (connection >= 0) {
            connections.deliverToMember(clientId, connection, message);
        } else {
            deliverTransient(connection, message);
        }
    }

    @Override
    public boolean deliverQos0(String clientId, long session, QueueEntry.Queued message) {
        return connections.deliverQos0(clientId, session, message);
    }
}
