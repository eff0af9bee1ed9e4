package io.tributary.broker.embedded;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.thread.RoomQueue;
import io.tributary.common.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscription of the embedding application, which outlives the node that serves it. To each node it is a transient
 * session, under a connection number below zero: other nodes tell it from clients by that. Any thread.
 */
public final class EmbeddedSubscription implements Endpoint, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedSubscription.class);
    private static final int RETAINED_PAGE = 500;
    /** How often a retained message is followed by its successor, which may have come live. */
    private static final int MOST_SUCCESSORS = 16;

    private static final byte[] REMOVED = {};

    private final TopicFilter filter;
    private final QoS qos;
    private final Consumer<Message> consumer;
    /** Held while a node begins to serve it: one after the other does. */
    private final Object beginning = new Object();

    private volatile @Nullable Runnable end;
    private volatile boolean closed;

    /**
     * Creates one that no node serves yet.
     *
     * @param filter by its name inside the broker
     * @param consumer gets messages as clients of the filter's tenant know them
     */
    public EmbeddedSubscription(TopicFilter filter, QoS qos, Consumer<Message> consumer) {
        this.filter = filter;
        this.qos = qos;
        this.consumer = consumer;
    }

    /**
     * Has a node serve it, and hands out retained messages; blocks until the subscription is made. What fails leaves
     * nothing behind.
     *
     * @param await waits for a stage, and throws what it failed with
     * @param isOver whether the node serves nobody any more: the next one may do so already
     */
    public void subscribeTo(
            ConnectionRegistry connections,
            Subscriptions subscriptions,
            RetainedMessages retained,
            Consumer<CompletionStage<?>> await,
            BooleanSupplier isOver) {
        synchronized (beginning) {
            if (closed || isOver.getAsBoolean()) {
                return;
            }
            long number = -connections.nextNumber();
            Subscriber subscriber = Subscriber.inProcess(number);
            Runnable ending = () -> {
                subscriptions.end(subscriber);
                connections.remove(number);
            };
            connections.add(number, this);
            end = ending;
            try {
                await.accept(subscriptions.subscribe(
                        subscriber, 0, List.of(new SubscriptionRequest(filter, qos, false, true, 0))));
            } catch (RuntimeException | Error e) {
                ending.run();
                throw e;
            }
            if (closed) { // perhaps before there was anything to end
                ending.run();
            } else if (!filter.isShared()) {
                replay(retained);
            }
        }
    }

    /** Ends it, without waiting for a node that begins to serve it. */
    @Override
    public void close() {
        closed = true;
        Runnable ending = end;
        if (ending != null) {
            ending.run();
        }
    }

    @Override
    public String clientId() {
        return "";
    }

    @Override
    public @Nullable RoomQueue offer(Queued message) {
        try {
            consumer.accept(TenantNames.visible(message.message()).withRetain(message.retain()));
        } catch (RuntimeException | Error e) { // of others who get the message, and of what comes behind it
            LOG.warn("a subscriber of the embedding application failed", e);
        }
        return null;
    }

    private void replay(RetainedMessages retained) {
        RetainedMessages.Page page = retained.page(filter, null, RETAINED_PAGE);
        while (true) {
            for (Message message : page.messages()) {
                if (closed) {
                    return;
                }
                if (retained.isCurrent(message)) { // else its successor came live; the older must not follow
                    hand(retained, message);
                }
            }
            if (page.next() == null) {
                return;
            }
            page = retained.page(filter, page.next(), RETAINED_PAGE);
        }
    }

    /**
     * Hands out a retained message. Its successor may come on another thread meanwhile, and the consumer be done with
     * it first: so it is handed out once more, for the newest of a topic to be the last.
     */
    private void hand(RetainedMessages retained, Message message) {
        Message last = message;
        for (int i = 0; i < MOST_SUCCESSORS; i++) {
            offer(new Queued(last, last.qos().min(qos), true, List.of(), null));
            Message now = retained.current(message.topic());
            if (last.equals(now) || last.payload().length == 0) {
                return;
            }
            last = now == null ? last.withPayload(REMOVED) : now; // [MQTT-3.3.1-6]
        }
    }
}
