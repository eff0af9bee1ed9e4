package io.tributary.broker.routing;

import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.extension.PublishInterceptor.Decision;
import io.tributary.broker.extension.PublishInterceptor.Drop;
import io.tributary.broker.extension.PublishInterceptor.Proceed;
import io.tributary.broker.extension.PublishInterceptor.Refuse;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.subscription.Matches;
import io.tributary.broker.subscription.Receiver;
import io.tributary.broker.subscription.SharedGroup;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.NodeShare;
import io.tributary.common.event.Principal;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.Source;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.thread.RoomQueue;
import io.tributary.persistence.limit.ByteBudget;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The way of each message: give it its priority, authorise, intercept, retain, match, hand to every destination, and
 * tell the publisher when all of them have it: the logs, and the other nodes that have transient sessions for it. Any
 * thread; never blocks. Messages that one thread routes keep their order towards each destination.
 *
 * <p>A retained message is stored before it is matched: a client that subscribes meanwhile gets it as retained, or
 * live, or both. What the same publisher sends behind it waits for it, and so does what is behind it in the same log;
 * of a client's QoS 0 a limited number does, and the rest is dropped, and not retained either.
 */
public final class Router implements ClientRouting {
    private static final CompletableFuture<Boolean> NOT_RETAINED = CompletableFuture.completedFuture(true);
    private static final RouteOutcome SAFE = new RouteOutcome.Safe();
    private static final RouteOutcome NO_SUBSCRIBERS = new RouteOutcome.NoSubscribers();
    private static final RouteOutcome LOST = new RouteOutcome.Lost();
    private static final RouteOutcome TOO_LARGE =
            new RouteOutcome.Refused(ReasonCode.PACKET_TOO_LARGE, "it is larger than the largest packet of a client");
    private static final int MOST_WAITING_QOS_0 = 1_000;

    /** Bytes of messages that wait for a retained one to be stored; beyond that publishers are not read. */
    private static final long MOST_WAITING_BYTES = 8 << 20;

    /** About how many bytes one of them takes besides its own. */
    private static final long WAITING_COST = 500;

    private static final String NOT_AUTHORIZED = "not authorised to publish to this topic";

    private final String node;
    private final NodeView view;
    private final Subscriptions subscriptions;
    private final RetainedMessages retained;
    private final PublishPolicy policy;
    private final MessagePriorities priorities;
    private final RouterOutputs outputs;
    private final RouterRecorder recorder;
    private final Selection selection;
    private final PeerDelivery peerDelivery;
    private final PeerDelivery uncounted;
    private final ByteBudget waiting = new ByteBudget(MOST_WAITING_BYTES);
    private final RoomQueue room = new RoomQueue(waiting::onRoom);
    private final PublishOrder order = new PublishOrder();

    /**
     * Creates one.
     *
     * @param node this node and its incarnation, as the node shares of {@link Destinations} name it
     * @param view tells after a match whether it was against all subscriptions that others have acknowledged
     */
    public Router(
            String node,
            NodeView view,
            Subscriptions subscriptions,
            RetainedMessages retained,
            PublishPolicy policy,
            MessagePriorities priorities,
            RouterOutputs outputs,
            RouterRecorder recorder) {
        this.node = node;
        this.view = view;
        this.subscriptions = subscriptions;
        this.retained = retained;
        this.policy = policy;
        this.priorities = priorities;
        this.outputs = outputs;
        this.recorder = recorder;
        this.selection = new Selection(recorder);
        this.peerDelivery = new PeerDelivery(subscriptions, selection, outputs, recorder);
        this.uncounted =
                new PeerDelivery(subscriptions, new Selection(RouterRecorder.NONE), outputs, RouterRecorder.NONE);
    }

    /**
     * Routes a message: gives it its priority, retains it if it is to be, matches it, and delivers it or has it logged.
     * A QoS 2 message of a persistent session is retained and matched, too, and goes nowhere yet: a {@code Relay} with
     * its destinations and its packet identifier is logged in the publisher's shard, whose owner forwards it. Such a
     * message is safe when the relay is logged.
     *
     * @param packetId the packet identifier of a QoS 2 message, otherwise 0
     */
    @Override
    public void publish(Publisher publisher, Message message, int packetId, RouteCallback callback) {
        recorder.received(message);
        Publisher relayFor = publisher.persistent() && packetId != 0 ? publisher : null;
        switch (admit(publisher, priorities.give(message))) {
            case Proceed(Message admitted) ->
                retain(new Passage(
                        priorities.allowed(admitted), relayFor, packetId, null, isTold(publisher, admitted), callback));
            case Drop() -> drop(new Passage(message, relayFor, packetId, null, true, callback));
            case Refuse(ReasonCode reason, String words) -> callback.onRouted(new RouteOutcome.Refused(reason, words));
        }
    }

    /**
     * Where publishers wait while too many messages wait for retained ones to be stored; null while that is not so. Any
     * thread.
     */
    @Override
    public @Nullable RoomQueue congestion() {
        return waiting.isFull() ? room : null;
    }

    @Override
    public Decision interceptWill(ClientInfo client, Message will) {
        Decision decision = intercept(client, priorities.give(will));
        return decision instanceof Proceed(Message left) ? new Proceed(priorities.allowed(left)) : decision;
    }

    /**
     * Whether all that a client has published is matched: nothing of it waits behind a retained message that is being
     * stored.
     *
     * @param publisher the client's identifier
     */
    @Override
    public boolean isMatched(String publisher) {
        return order.isFree(publisher);
    }

    /**
     * Runs the action once all is matched that the client has published: at once, or on the thread that matches the
     * last.
     */
    @Override
    public void onMatched(String publisher, Runnable action) {
        order.whenDone(publisher, NOT_RETAINED, action);
    }

    /** Routes a message of the broker itself or of the embedding application: not authorised, not intercepted. */
    public void publish(Message message, RouteCallback callback) {
        recorder.received(message);
        if (policy.isTooLarge(message)) {
            callback.onRouted(TOO_LARGE);
        } else {
            retain(new Passage(priorities.give(message), null, 0, null, true, callback));
        }
    }

    /**
     * Routes a message of the broker itself that is to be kept, and not retained: nobody gets it unless a persistent
     * session that gets it with QoS 1 or 2 does. Safe when the logs of all such sessions have it.
     */
    public void publishKept(Message deadLetter, RouteCallback callback) {
        recorder.received(deadLetter);
        Message message = priorities.give(deadLetter);
        Destinations destinations = collect(message);
        if (destinations.recipients().isEmpty()) {
            recorder.dropped(RouterRecorder.Drop.NO_SUBSCRIBERS);
            callback.onRouted(NO_SUBSCRIBERS);
            return;
        }
        recorder.delivered(destinations.recipients().size());
        deliverTransient(message, destinations, Router::nobodyWaits);
        outputs.sessions().publish(message, destinations.recipients(), null, (_, failure) -> {
            if (failure != null) {
                recorder.dropped(RouterRecorder.Drop.FAILED);
            }
            callback.onRouted(failure == null ? SAFE : LOST);
        });
    }

    /**
     * Routes a message of another log: authorised, not intercepted, and refused when it is larger than any client's. It
     * may be routed again, with all that follow it there, until it was safe once: persistent sessions get it once, but
     * for members of shared subscriptions; transient ones each time.
     *
     * @param source where it is in that log; the messages of one log come in the order of their sources and without
     *     gaps, until one is {@link RouteOutcome.Lost} and all come again from there
     */
    public void publish(Message message, Source source, RouteCallback callback) {
        recorder.received(message);
        if (policy.isTooLarge(message)) { // a log would refuse it each time that it is routed again
            callback.onRouted(TOO_LARGE);
            return;
        }
        var right = policy.mayPublish(message);
        if (right.allowed()) {
            retain(new Passage(priorities.give(message), null, 0, source, true, callback));
        } else {
            recorder.notAuthorized(RouterRecorder.Drop.PUBLISH_NOT_AUTHORIZED, right.ruleSet());
            callback.onRouted(new RouteOutcome.Refused(ReasonCode.NOT_AUTHORIZED, NOT_AUTHORIZED));
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>A message with RETAIN shows on this node when this returns; on other nodes, and durably, a little later and in
     * the order in which the retained messages of its topic were given.
     */
    @Override
    public Destinations match(Message message, @Nullable Principal principal, Runnable stored) {
        if (!message.publisher().isEmpty()) {
            var right = policy.mayPublish(message, principal);
            if (!right.allowed()) {
                recorder.notAuthorized(RouterRecorder.Drop.PUBLISH_NOT_AUTHORIZED, right.ruleSet());
                stored.run();
                return Destinations.NONE;
            }
        }
        if (message.retain()) {
            var storing = retained.store(message).whenComplete(this::countUnstored);
            Runnable isStored = waits(message);
            storing.whenComplete((_, _) -> {
                isStored.run();
                stored.run();
            });
        } else {
            stored.run();
        }
        return collect(message);
    }

    @Override
    public Destinations matchAgain(Message message) {
        return collect(message);
    }

    @Override
    public Destinations matchGroup(Message message, Recipient leaving, boolean mayWait) {
        SharedGroup group = leaving.group() == null ? null : subscriptions.group(leaving.group());
        if (group == null) {
            return Destinations.NONE;
        }
        Predicate<Receiver> mayHave =
                candidate -> !isSession(candidate, leaving) && candidate.mayReceive(message.topic());
        Receiver member = mayWait
                ? group.pick(message.publisher(), message.topic(), mayHave)
                : group.pickOnline(message.publisher(), message.topic(), mayHave);
        if (member == null) {
            return Destinations.NONE;
        }
        CollectingVisitor collecting = new CollectingVisitor(message, node);
        collecting.visit(member.subscriber(), member.grant(), group.name());
        return collecting.destinations(List.of());
    }

    @Override
    public boolean hasOnlineMember(String group) {
        SharedGroup found = subscriptions.group(group);
        return found != null && found.hasOnlineMember();
    }

    @Override
    public void deliverTransient(Message message, Destinations destinations, Runnable taken) {
        if (destinations.nodes().isEmpty()) {
            taken.run();
            return;
        }
        Countdown parts = new Countdown(destinations.nodes().size(), _ -> taken.run());
        for (NodeShare share : destinations.nodes()) {
            if (share.node().equals(node)) {
                peerDelivery.take(message, share.members(), share.matching(), null);
                parts.done();
            } else {
                outputs.nodes().deliver(share.node(), message, share.members(), share.matching(), parts::done, null);
            }
        }
    }

    /**
     * Takes messages that another node has handed over. They go to connections of this node, and never on to another
     * node: no shared subscription chooses again, and persistent sessions get nothing that is not named.
     *
     * @param members the members of shared subscriptions that were chosen, and persistent sessions that get it with QoS
     *     0
     * @param matching whether it is also for every transient session here that it matches
     * @param publisher told what the publisher is to wait for before it publishes more; null when it never waits
     */
    public void take(
            Message message, List<Recipient> members, boolean matching, @Nullable Consumer<RoomQueue> publisher) {
        (TenantNames.isBrokers(message.topic()) ? uncounted : peerDelivery).take(message, members, matching, publisher);
    }

    /**
     * Delivers a message of QoS 0 that says something about this node, to subscribers that are connected here. The
     * message is neither retained nor counted as received, and no other client gets it.
     */
    public void deliverHere(Message message) {
        peerDelivery.deliverHere(message);
    }

    private Decision admit(Publisher publisher, Message message) {
        var right = policy.mayPublish(publisher, message);
        if (!right.allowed()) {
            recorder.notAuthorized(RouterRecorder.Drop.PUBLISH_NOT_AUTHORIZED, right.ruleSet());
            return new Refuse(ReasonCode.NOT_AUTHORIZED, NOT_AUTHORIZED);
        }
        return intercept(publisher.client(), message);
    }

    private Decision intercept(ClientInfo publisher, Message message) {
        Decision decision = policy.intercept(publisher, message);
        if (!(decision instanceof Proceed)) {
            recorder.dropped(RouterRecorder.Drop.INTERCEPTED);
        }
        return decision;
    }

    /** Only an acknowledgement of MQTT 5 can say that a message is refused. */
    private static boolean isTold(Publisher publisher, Message message) {
        return message.qos().isAcknowledged() && publisher.client().isMqtt5();
    }

    /**
     * To its publisher a message that an interceptor dropped looks as if no session subscribed; a relay is logged all
     * the same.
     */
    private void drop(Passage passage) {
        if (passage.relayFor == null) {
            passage.callback.onRouted(NO_SUBSCRIBERS);
        } else {
            relay(passage, passage.relayFor, Destinations.NONE);
        }
    }

    private void retain(Passage passage) {
        Message message = passage.message;
        if (isTooMuch(passage)) { // before it is stored, or nothing would bound what is on its way to the store
            recorder.dropped(RouterRecorder.Drop.BACKLOG);
            passage.callback.onRouted(new RouteOutcome.Refused(
                    ReasonCode.MESSAGE_RATE_TOO_HIGH, "too many messages wait for a retained one to be stored"));
            return;
        }
        CompletableFuture<Boolean> stored =
                message.retain() ? retained.store(message).toCompletableFuture() : NOT_RETAINED;
        String orderKey = passage.orderKey();
        if (stored.isDone() && order.isFree(orderKey)) {
            dispatch(passage, stored);
        } else {
            Runnable isStored = waits(message);
            order.whenDone(orderKey, stored, () -> {
                isStored.run();
                dispatchLater(passage, stored);
            });
        }
    }

    /** Counts a message among those that wait for the store; what it returns, once run, takes that back. */
    private Runnable waits(Message message) {
        long bytes = WAITING_COST + message.memoryBytes();
        waiting.acquire(bytes);
        return () -> waiting.release(bytes);
    }

    private boolean isTooMuch(Passage passage) {
        return !passage.message.qos().isAcknowledged()
                && passage.source == null
                && order.waiting(passage.orderKey()) >= MOST_WAITING_QOS_0;
    }

    /**
     * No caller up the stack could tell the publisher of a failure, and the publisher's later acknowledgements wait for
     * this one.
     */
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
            if (passage.source == null) {
                passage.callback.onRouted(LOST);
            } else {
                deliver(passage.lost()); // what follows must not come to a shard before it, which would skip it then
            }
            return;
        }
        if (!stored.join()) {
            recorder.dropped(RouterRecorder.Drop.RETAINED_LIMIT);
            if (passage.isTold) {
                passage.callback.onRouted(
                        new RouteOutcome.Refused(ReasonCode.QUOTA_EXCEEDED, "there are too many retained messages"));
                return;
            }
        }
        if (passage.relayFor != null) {
            matchRelay(passage, passage.relayFor);
        } else {
            deliver(passage);
        }
    }

    private void matchRelay(Passage passage, Publisher publisher) {
        Destinations destinations = collect(passage.message);
        if (view.isCurrent()) {
            relay(passage, publisher, destinations);
        } else {
            loseOutdated(passage);
        }
    }

    /** The caller has asked whether this node knows all; a pause since then may have cost a subscription. */
    private void deliver(Passage passage) {
        Matches matches = subscriptions.match(passage.message.topic());
        if (!passage.needsAllThatIsKnown() || view.isCurrent()) {
            deliver(passage, matches);
        } else if (passage.source == null) {
            loseOutdated(passage);
        } else {
            deliver(passage.lost(), matches);
        }
    }

    private void loseOutdated(Passage passage) {
        recorder.dropped(RouterRecorder.Drop.FAILED);
        passage.callback.onRouted(LOST);
    }

    private void deliver(Passage passage, Matches matches) {
        Message message = passage.message;
        DeliveringVisitor delivering = new DeliveringVisitor(message, outputs, recorder, passage.callback.publisher());
        selection.select(message, matches, delivering);
        recorder.delivered(delivering.receivers());
        List<Recipient> recipients = delivering.recipients();
        List<NodeShare> shares = delivering.shares(matches.nodes());
        if (!shares.isEmpty()) {
            deliver(passage, recipients, shares);
        } else if (delivering.receivers() == 0) {
            finishUnmatched(passage);
        } else if (recipients.isEmpty()) {
            passage.callback.onRouted(SAFE);
        } else {
            outputs.sessions()
                    .publish(message, recipients, passage.source, (offset, failure) -> finish(passage, failure));
        }
    }

    private void deliver(Passage passage, List<Recipient> recipients, List<NodeShare> shares) {
        Message message = passage.message;
        Countdown parts =
                new Countdown(shares.size() + (recipients.isEmpty() ? 0 : 1), failure -> finish(passage, failure));
        for (NodeShare share : shares) {
            outputs.nodes()
                    .deliver(
                            share.node(),
                            message,
                            share.members(),
                            share.matching(),
                            parts::done,
                            passage.callback.publisher());
        }
        if (!recipients.isEmpty()) {
            outputs.sessions().publish(message, recipients, passage.source, (offset, failure) -> parts.done(failure));
        }
    }

    /** Nothing goes out here: the publisher's shard forwards the message, once, also after a crash. */
    private void relay(Passage passage, Publisher publisher, Destinations destinations) {
        ShardEvent.Relay relay = new ShardEvent.Relay(
                publisher.clientId(), publisher.epoch(), passage.packetId, passage.message, destinations);
        recorder.delivered(destinations.recipients().size());
        outputs.publishers().relay(relay, passage.callback::isAwaited, (offset, failure) -> {
            if (failure == null && destinations.isEmpty()) {
                finishUnmatched(passage);
            } else {
                finish(passage, failure);
            }
        });
    }

    private Destinations collect(Message message) {
        CollectingVisitor collecting = new CollectingVisitor(message, node);
        Matches matches = subscriptions.match(message.topic());
        selection.select(message, matches, collecting);
        return collecting.destinations(matches.nodes());
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

    private static void nobodyWaits() {}

    private static boolean isSession(Receiver receiver, Recipient recipient) {
        Subscriber subscriber = receiver.subscriber();
        return subscriber.node() == null
                && subscriber.clientId().equals(recipient.clientId())
                && subscriber.identity() == recipient.session();
    }

    /**
     * A message on its way.
     *
     * @param relayFor the persistent publisher of a QoS 2 message, or null
     * @param source where it is in another log, or null
     * @param isTold whether its publisher is told when it is refused; what nobody can be told is delivered, though not
     *     retained
     */
    private record Passage(
            Message message,
            @Nullable Publisher relayFor,
            int packetId,
            @Nullable Source source,
            boolean isTold,
            RouteCallback callback) {

        /**
         * What it keeps its order with: what its publisher sends, or, whoever publishes it, what is in the same log. No
         * client has a NUL in its identifier.
         */
        String orderKey() {
            return source == null ? message.publisher() : "log " + source.shard() + '\0';
        }

        /** Whether the publisher is told that all subscribers get it. */
        boolean needsAllThatIsKnown() {
            return message.qos().isAcknowledged() || source != null;
        }

        /** The same, which counts as lost whatever becomes of it. */
        Passage lost() {
            return new Passage(message, relayFor, packetId, source, isTold, new RouteCallback() {
                @Override
                public void onRouted(RouteOutcome outcome) {
                    callback.onRouted(LOST);
                }

                @Override
                public boolean isAwaited() {
                    return callback.isAwaited();
                }
            });
        }
    }
}
