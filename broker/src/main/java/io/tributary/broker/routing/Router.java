package io.tributary.broker.routing;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.broker.extension.PublishInterceptor.Decision;
import io.tributary.broker.extension.PublishInterceptor.Drop;
import io.tributary.broker.extension.PublishInterceptor.Proceed;
import io.tributary.broker.extension.PublishInterceptor.Refuse;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.subscription.Matches;
import io.tributary.broker.subscription.Receiver;
import io.tributary.broker.subscription.SharedGroup;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.ReasonCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The way of each message: authorise, intercept, retain, match, hand to every destination, and tell the publisher when all
 * of them have it. Any thread; never blocks. Messages that one thread routes keep their order towards each destination.
 *
 * <p>A retained message is stored before it is matched: whoever subscribes meanwhile gets it as retained, or live, or both.
 * What the same publisher sends behind it waits for it; of QoS 0 a limited number does, and the rest is dropped.
 */
public final class Router implements MessageRouting {
    private static final CompletableFuture<Boolean> NOT_RETAINED = CompletableFuture.completedFuture(true);
    private static final RouteOutcome SAFE = new RouteOutcome.Safe();
    private static final RouteOutcome NO_SUBSCRIBERS = new RouteOutcome.NoSubscribers();
    private static final RouteOutcome LOST = new RouteOutcome.Lost();
    private static final int MOST_WAITING_QOS_0 = 1_000;

    private final String node;
    private final Subscriptions subscriptions;
    private final RetainedMessages retained;
    private final PublishPolicy policy;
    private final Outlets outlets;
    private final RouterRecorder recorder;
    private final Selection selection;
    private final PublishOrder order = new PublishOrder();

    /**
     * Creates one.
     *
     * @param node the name of this node
     */
    public Router(
            String node,
            Subscriptions subscriptions,
            RetainedMessages retained,
            PublishPolicy policy,
            Outlets outlets,
            RouterRecorder recorder) {
        this.node = node;
        this.subscriptions = subscriptions;
        this.retained = retained;
        this.policy = policy;
        this.outlets = outlets;
        this.recorder = recorder;
        this.selection = new Selection(policy, recorder);
    }

    /**
     * Routes a message of QoS 0 or 1, or of QoS 2 from a transient session. A QoS 2 message of a persistent session goes
     * to the publisher's shard with the packet identifier, and is safe when it is logged there.
     *
     * @param packetId the packet identifier of a QoS 2 message, otherwise 0
     */
    public void publish(Publisher publisher, Message message, int packetId, RouteCallback callback) {
        recorder.received(message);
        Publisher relayFor = publisher.persistent() && packetId != 0 ? publisher : null;
        switch (admit(publisher, message)) {
            case Proceed(Message admitted) -> retain(new Passage(admitted, relayFor, packetId, callback));
            case Drop() -> drop(new Passage(message, relayFor, packetId, callback));
            case Refuse(ReasonCode reason, String words) -> callback.onRouted(new RouteOutcome.Refused(reason, words));
        }
    }

    /** Routes a message of the broker itself or of the embedding application: not authorised, not intercepted. */
    public void publish(Message message, RouteCallback callback) {
        recorder.received(message);
        retain(new Passage(message, null, 0, callback));
    }

    /**
     * {@inheritDoc}
     *
     * <p>A message with RETAIN shows on this node when this returns; on other nodes, and durably, a little later and in
     * the order in which the retained messages of its topic were given.
     */
    @Override
    public Destinations match(Message message) {
        if (!message.publisher().isEmpty() && !policy.mayPublish(message.publisher(), message)) {
            recorder.dropped(RouterRecorder.Drop.PUBLISH_NOT_AUTHORIZED);
            return Destinations.NONE;
        }
        if (message.retain()) {
            retained.store(message).whenComplete(this::countUnstored);
        }
        return collect(message);
    }

    @Override
    public Destinations matchGroup(Message message, Recipient leaving, boolean mayWait) {
        SharedGroup group = leaving.group() == null ? null : subscriptions.group(leaving.group());
        if (group == null) {
            return Destinations.NONE;
        }
        Predicate<Receiver> mayHave =
                candidate -> !isSession(candidate, leaving) && selection.mayReceive(candidate, message);
        Receiver member = mayWait
                ? group.pick(message.publisher(), message.topic(), mayHave)
                : group.pickOnline(message.publisher(), message.topic(), mayHave);
        if (member == null) {
            return Destinations.NONE;
        }
        Collecting collecting = new Collecting(message, node);
        collecting.visit(member.subscriber(), member.grant(), group.name());
        return collecting.destinations();
    }

    @Override
    public boolean hasOnlineMember(String group) {
        SharedGroup found = subscriptions.group(group);
        return found != null && found.hasOnlineMember();
    }

    @Override
    public void deliverTransient(Message message, Destinations destinations) {
        Copies copies = new Copies(message);
        for (Recipient member : destinations.transients()) {
            deliverToMember(member, copies.queued(member));
        }
        if (destinations.nodes().contains(node)) {
            Delivering delivering = new Delivering(message, outlets.connections(), recorder);
            List<Receiver> receivers = subscriptions.match(message.topic()).receivers();
            selection.selectReceivers(message, receivers, (subscriber, grant, group) -> {
                if (!subscriber.persistent() || !copies.qos(grant).isAcknowledged()) {
                    delivering.visit(subscriber, grant, group);
                }
            });
            recorder.delivered(delivering.receivers());
        }
    }

    /** Stub. */
    public void take(Message message, List<Recipient> members, boolean matching) {}

    private Decision admit(Publisher publisher, Message message) {
        if (!policy.mayPublish(publisher.client().clientId(), message)) {
            recorder.dropped(RouterRecorder.Drop.PUBLISH_NOT_AUTHORIZED);
            return new Refuse(ReasonCode.NOT_AUTHORIZED, "not authorised to publish to this topic");
        }
        Decision decision = policy.intercept(publisher.client(), message);
        if (!(decision instanceof Proceed)) {
            recorder.dropped(RouterRecorder.Drop.INTERCEPTED);
        }
        return decision;
    }

    /** What an interceptor dropped looks to its publisher as if nobody subscribed; a relay is logged all the same. */
    private void drop(Passage passage) {
        if (passage.relayFor == null) {
            passage.callback.onRouted(NO_SUBSCRIBERS);
        } else {
            relay(passage, passage.relayFor, Destinations.NONE);
        }
    }

    private void retain(Passage passage) {
        Message message = passage.message;
        CompletableFuture<Boolean> stored =
                message.retain() ? retained.store(message).toCompletableFuture() : NOT_RETAINED;
        if (stored.isDone() && order.isFree(message.publisher())) {
            dispatch(passage, stored);
        } else if (message.qos().isAcknowledged() || order.waiting(message.publisher()) < MOST_WAITING_QOS_0) {
            order.whenDone(message.publisher(), stored, () -> dispatchLater(passage, stored));
        } else {
            recorder.dropped(RouterRecorder.Drop.BACKLOG);
            passage.callback.onRouted(new RouteOutcome.Refused(
                    ReasonCode.MESSAGE_RATE_TOO_HIGH, "too many messages wait for a retained one to be stored"));
        }
    }

    /** Nobody up the stack could tell the publisher of a failure, and its later acknowledgements wait for this one. */
    private void dispatchLater(Passage passage, CompletableFuture<Boolean> stored) {
        try {
            dispatch(passage, stored);
        } catch (RuntimeException | Error e) {
            recorder.dropped(RouterRecorder.Drop.FAILED);
            passage.callback.onRouted(LOST);
            throw e;
        }
    }

    private void dispatch(Passage passage, CompletableFuture<Boolean> stored) {
        if (stored.isCompletedExceptionally()) {
            recorder.dropped(RouterRecorder.Drop.FAILED);
            passage.callback.onRouted(LOST);
        } else if (!stored.join()) {
            recorder.dropped(RouterRecorder.Drop.RETAINED_LIMIT);
            passage.callback.onRouted(
                    new RouteOutcome.Refused(ReasonCode.QUOTA_EXCEEDED, "there are too many retained messages"));
        } else if (passage.relayFor != null) {
            relay(passage, passage.relayFor, collect(passage.message));
        } else {
            deliver(passage);
        }
    }

    private void deliver(Passage passage) {
        Message message = passage.message;
        Matches matches = subscriptions.match(message.topic());
        Delivering delivering = new Delivering(message, outlets.connections(), recorder);
        selection.select(message, matches, delivering);
        recorder.delivered(delivering.receivers());
        List<Recipient> recipients = delivering.recipients();
        if (delivering.receivers() == 0) {
            finishUnmatched(passage);
        } else if (recipients.isEmpty()) {
            passage.callback.onRouted(SAFE);
        } else {
            outlets.sessions().publish(message, recipients, null, (offset, failure) -> finish(passage, failure));
        }
    }

    /** Nothing goes out here: the publisher's shard hands the message on, once, also after a crash. */
    private void relay(Passage passage, Publisher publisher, Destinations destinations) {
        ShardEvent.Relay relay = new ShardEvent.Relay(
                publisher.client().clientId(), publisher.epoch(), passage.packetId, passage.message, destinations);
        recorder.delivered(destinations.devices().size());
        outlets.publishers().relay(relay, (offset, failure) -> {
            if (failure == null && destinations.isEmpty()) {
                finishUnmatched(passage);
            } else {
                finish(passage, failure);
            }
        });
    }

    private Destinations collect(Message message) {
        Collecting collecting = new Collecting(message, node);
        selection.select(message, subscriptions.match(message.topic()), collecting);
        return collecting.destinations();
    }

    private void deliverToMember(Recipient member, Queued copy) {
        if (!isPersistent(member)) {
            outlets.connections().deliverTransient(member.session(), copy);
        } else if (!outlets.connections().deliverQos0(member.clientId(), member.session(), copy)) {
            recorder.dropped(RouterRecorder.Drop.OFFLINE);
        }
        recorder.delivered(1);
    }

    /** Whether a member that no log was to have is persistent all the same: it then gets the message with QoS 0. */
    private boolean isPersistent(Recipient member) {
        SharedGroup group =
                member.group() == null || member.qos().isAcknowledged() ? null : subscriptions.group(member.group());
        return group != null && group.hasPersistentMember(member.clientId(), member.session());
    }

    private void finish(Passage passage, @Nullable Throwable failure) {
        if (failure != null) {
            recorder.dropped(RouterRecorder.Drop.FAILED);
        }
        passage.callback.onRouted(failure == null ? SAFE : LOST);
    }

    private void finishUnmatched(Passage passage) {
        recorder.dropped(RouterRecorder.Drop.NO_SUBSCRIBERS);
        passage.callback.onRouted(NO_SUBSCRIBERS);
    }

    private void countUnstored(@Nullable Boolean stored, @Nullable Throwable failure) {
        if (failure != null) {
            recorder.dropped(RouterRecorder.Drop.FAILED);
        } else if (stored != null && !stored) {
            recorder.dropped(RouterRecorder.Drop.RETAINED_LIMIT);
        }
    }

    private static boolean isSession(Receiver receiver, Recipient recipient) {
        return receiver.subscriber().clientId().equals(recipient.clientId())
                && receiver.subscriber().identity() == recipient.session();
    }

    /**
     * A message on its way.
     *
     * @param relayFor the persistent publisher of a QoS 2 message, or null
     */
    private record Passage(Message message, @Nullable Publisher relayFor, int packetId, RouteCallback callback) {}
}
