package io.tributary.broker.connection;

import io.netty.util.concurrent.ScheduledFuture;
import io.tributary.broker.extension.SubscribeInterceptor.Decision;
import io.tributary.broker.extension.SubscribeInterceptor.Proceed;
import io.tributary.broker.extension.SubscribeInterceptor.Refuse;
import io.tributary.broker.security.Revocations;
import io.tributary.broker.security.SubscriptionDecision;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.broker.subscription.SubscriptionRequest.Outcome;
import io.tributary.broker.subscription.Withdrawal;
import io.tributary.broker.subscription.Withdrawal.Change;
import io.tributary.broker.tenant.TenantConnection;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.Printable;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SUBSCRIBE and UNSUBSCRIBE: authorises, has subscriptions made or removed, answers when that is done, and starts or
 * stops the retained messages; and takes subscriptions away that other rules do not allow. Confined to the event loop.
 * One change at a time: until the answer is out no other packet of the client is taken, so that packets take effect in
 * order. What a client has written by that is kept within a rate: {@code ClientSubscriptions.waitNanos}.
 */
final class SubscribeFlow {
    private static final Logger LOG = LoggerFactory.getLogger(SubscribeFlow.class);
    /** For how long a client is not read whose change failed, so that it does not ask again at once, without end. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** For how long changes are made at once in a turn of the event loop; dozens of usual ones take no longer. */
    private static final long AT_ONCE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final ConnectionContext context;
    private final Identity identity;
    private final Replies replies;
    private final RetainedReplay replay;
    private final ClientPermissions permissions;
    /** Takes a packet that waited for the client's rate, as one that has just come. */
    private final Consumer<MqttPacket> takeAgain;

    /** What waits until the change is made that is under way: a review, and a packet that was held before. */
    private List<Runnable> waiting = List.of();

    private boolean isChanging;
    /** Whether the packet that is taken now has waited for the client's rate. */
    private boolean hasWaited;

    /** Whether a change was made in this turn of the event loop, and when the first of them was begun. */
    private boolean isInLoopTurn;

    private long firstNanos;

    private @Nullable ScheduledFuture<?> postponed;
    private boolean isReviewWanted;
    private boolean isClosed;
    private Runnable stopWaiting = () -> {};

    /** The verdict on one entry of a SUBSCRIBE before any subscription is made. */
    private sealed interface Answer {}

    private record Allowed(Subscription subscription, SubscriptionRequest request) implements Answer {}

    private record Denied(ReasonCode reason) implements Answer {}

    SubscribeFlow(
            ConnectionContext context,
            Identity identity,
            Replies replies,
            RetainedReplay replay,
            Consumer<MqttPacket> takeAgain) {
        this.context = context;
        this.identity = identity;
        this.replies = replies;
        this.replay = replay;
        this.takeAgain = takeAgain;
        permissions = identity.permissions();
    }

    /** Takes a SUBSCRIBE; there is one answer for each entry [MQTT-3.8.4-5, MQTT-3.8.4-6]. */
    void subscribe(Subscribe packet) {
        if (!isPostponed(packet)) {
            inTurn(() -> paced(() -> make(packet)));
        }
    }

    private void make(Subscribe packet) {
        long version = permissions.version();
        List<Answer> answers = new ArrayList<>(packet.subscriptions().size());
        List<SubscriptionRequest> requests =
                new ArrayList<>(packet.subscriptions().size());
        for (Subscription asked : packet.subscriptions()) {
            Answer answer = decide(asked, packet.subscriptionId());
            answers.add(answer);
            if (answer instanceof Allowed allowed) {
                requests.add(allowed.request());
            }
        }
        made(requests)
                .whenComplete((outcomes, failure) -> context.run(() -> {
                    answer(packet.packetId(), answers, outcomes, failure);
                    if (permissions.version() != version) {
                        review(); // what was granted may have been looked for before it was there
                    }
                    turnIsOver(failure != null || outcomes.contains(Outcome.NOT_SHARED));
                }));
    }

    /** Takes an UNSUBSCRIBE. */
    void unsubscribe(Unsubscribe packet) {
        if (!isPostponed(packet)) {
            inTurn(() -> paced(() -> remove(packet)));
        }
    }

    private void remove(Unsubscribe packet) {
        List<TopicFilter> filters =
                packet.filters().stream().map(this::subscribedAs).toList();
        context.backend()
                .subscriptions()
                .unsubscribe(identity.subscriber(), identity.epoch(), filters)
                .whenComplete((existed, failure) -> context.run(() -> {
                    if (failure == null) {
                        replay.forget(filters); // [MQTT-3.10.4-2]
                    }
                    replies.unsuback(packet.packetId(), reasons(filters.size(), existed));
                    replay.proceed();
                    turnIsOver(failure != null);
                }));
    }

    /** Has a packet taken later, and the client not read before, while it has written as much as it may for now. */
    boolean isPostponed(MqttPacket packet) {
        long nanos = hasWaited ? 0 : context.backend().subscriptions().waitNanos(identity.subscriber());
        hasWaited = false;
        if (nanos == 0) {
            return false;
        }
        context.gate().close(PauseReason.SUBSCRIBE_RATE);
        postpone(packet, nanos);
        return true;
    }

    private void postpone(MqttPacket packet, long nanos) {
        postponed = context.schedule(nanos, () -> {
            long more = context.backend().subscriptions().waitNanos(identity.subscriber());
            if (more > 0) {
                postpone(packet, more); // another connection of the client's has written meanwhile
            } else {
                hasWaited = true;
                takeAgain.accept(packet);
                context.gate().open(PauseReason.SUBSCRIBE_RATE);
            }
        });
    }

    /**
     * Other rules hold: removes subscriptions that they do not allow, as UNSUBSCRIBE does, and lowers the QoS of
     * others. When this node knows what other nodes have acknowledged, for it could undo that.
     */
    void review() {
        if (isReviewWanted || isClosed) {
            return;
        }
        isReviewWanted = true;
        if (context.backend().view().isCurrent()) {
            inTurn(this::withdraw);
            return;
        }
        stopWaiting = context.backend()
                .untilCurrent()
                .await(() -> context.run(() -> {
                    if (!isClosed) {
                        inTurn(this::withdraw);
                    }
                }));
    }

    private void withdraw() {
        isReviewWanted = false;
        if (identity.persistent() && context.services().access().revocations().areHeld()) {
            turnIsOver(); // all is looked at again when they are held no longer
            return;
        }
        context.backend()
                .subscriptions()
                .withdraw(identity.subscriber(), identity.epoch(), permissions.all())
                .whenComplete((withdrawn, failure) -> context.run(() -> {
                    if (failure == null) {
                        withdrawn(withdrawn);
                    } else {
                        LOG.debug("subscriptions of {} were not withdrawn", name(), failure);
                    }
                    turnIsOver();
                }));
    }

    private void withdrawn(List<Withdrawal> withdrawn) {
        if (withdrawn.isEmpty()) {
            return;
        }
        replay.forget(Withdrawal.removed(withdrawn));
        withdrawn.stream().filter(each -> each.change() == Change.LOWERED).forEach(each -> lower(each.filter()));
        replay.proceed();
        Revocations revocations = context.services().access().revocations();
        boolean isSomethingGone = Withdrawal.count(withdrawn, identity.subscriber(), revocations);
        LOG.debug("{}: rules took {}", name(), withdrawn);
        if (isSomethingGone && revocations.disconnects() && !isClosed) {
            revocations.disconnected();
            throw new MqttException(ReasonCode.NOT_AUTHORIZED, "a subscription is not allowed any more");
        }
    }

    private void lower(TopicFilter filter) {
        replay.change(
                filter,
                rest -> rest.atMost(
                        permissions.all().standing(filter.filter(), rest.qos()).maxQos()));
    }

    private String name() {
        return TenantNames.display(identity.clientId());
    }

    /** The connection has ended: nothing is changed any more. */
    void close() {
        isClosed = true;
        waiting = List.of();
        stopWaiting.run();
        if (postponed != null) {
            postponed.cancel(false); // it has the packet
        }
    }

    private void inTurn(Runnable change) {
        if (isChanging) {
            List<Runnable> more = new ArrayList<>(waiting);
            more.add(change);
            waiting = more;
            return;
        }
        isChanging = true;
        context.gate().close(PauseReason.SUBSCRIBING);
        change.run();
    }

    /**
     * A change may take a millisecond where its client has many subscriptions, and one read may bring thousands: those
     * that are due long after the first of a turn of the event loop let other sockets have theirs.
     */
    private void paced(Runnable change) {
        if (isSoonInLoopTurn()) {
            change.run();
            return;
        }
        context.slowly(() -> {
            if (!isClosed) {
                boolean _ = isSoonInLoopTurn(); // what is read behind it counts from here
                change.run();
            }
        });
    }

    private boolean isSoonInLoopTurn() {
        long now = context.nanoTime();
        if (!isInLoopTurn) {
            isInLoopTurn = true;
            firstNanos = now;
            context.loop().atEndOfTurn(() -> isInLoopTurn = false);
        }
        return now - firstNanos < AT_ONCE_NANOS;
    }

    private void turnIsOver(boolean hasFailed) {
        if (hasFailed) {
            var _ = context.schedule(REST_NANOS, this::turnIsOver);
        } else {
            turnIsOver();
        }
    }

    private void turnIsOver() {
        if (waiting.isEmpty()) {
            isChanging = false;
            context.gate().open(PauseReason.SUBSCRIBING);
            return;
        }
        Runnable next = waiting.getFirst();
        waiting = List.copyOf(waiting.subList(1, waiting.size()));
        next.run();
    }

    private Answer decide(Subscription asked, int subscriptionId) {
        TopicFilter filter = TopicFilter.parse(asked.filter());
        if (!filter.isWithin(context.limits().packets().topics())) {
            return new Denied(ReasonCode.TOPIC_FILTER_INVALID); // [MQTT-3.8.4-1]
        }
        SubscriptionDecision decision = permissions.maySubscribe(filter.filter(), asked.maximumQos());
        if (!decision.granted()) {
            LOG.debug("{} may not subscribe to {}: {}", name(), Printable.of(asked.filter()), decision.reason());
            return new Denied(ReasonCode.NOT_AUTHORIZED);
        }
        return switch (intercept(asked)) {
            case Proceed(Subscription subscription) -> allow(asked, subscription, decision.maxQos(), subscriptionId);
            case Refuse(ReasonCode reason) -> new Denied(reason);
        };
    }

    /**
     * Applications share with QoS 1 at most: a message that one member leaves unfinished goes to another at once.
     *
     * @param limit the highest QoS that the client may have
     */
    private Answer allow(Subscription asked, Subscription subscription, QoS limit, int subscriptionId) {
        if (!subscription.filter().equals(asked.filter())) {
            permissions.askAboutEach(); // the client's right was that to the other filter
        }
        SubscriptionRequest request = request(subscription, subscriptionId).atMost(limit);
        return new Allowed(subscription, isSharedByApplications(request) ? request.atMost(QoS.AT_LEAST_ONCE) : request);
    }

    private boolean isSharedByApplications(SubscriptionRequest request) {
        return request.filter().isShared()
                && identity.persistent()
                && identity.attached().kind().isApplication();
    }

    private Decision intercept(Subscription asked) {
        try {
            Decision decision = Objects.requireNonNull(
                    context.services().extensions().subscriptions().onSubscribe(identity.client(), asked),
                    "no decision");
            return switch (decision) {
                case Proceed(Subscription left) -> {
                    TopicFilter _ = TopicFilter.parse(left.filter()); // an invalid one is a failure of the interceptor
                    yield decision;
                }
                case Refuse(ReasonCode reason) ->
                    reason.isError() ? decision : new Refuse(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
            };
        } catch (RuntimeException | Error failure) {
            LOG.warn("a subscribe interceptor failed, its subscription is refused", failure);
            return new Refuse(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
        }
    }

    /** What the interceptors have made of a filter, when the client subscribed to it. */
    private TopicFilter subscribedAs(String asked) {
        try {
            return inside(context.services().extensions().subscriptions().onUnsubscribe(identity.client(), asked));
        } catch (RuntimeException | Error failure) {
            LOG.warn("a subscribe interceptor failed, a filter to unsubscribe from stays as it is", failure);
            return inside(asked);
        }
    }

    /** The filter by the name that it has inside the broker. */
    private TopicFilter inside(String filter) {
        return TenantNames.filter(identity.tenant(), TopicFilter.parse(filter));
    }

    private SubscriptionRequest request(Subscription subscription, int subscriptionId) {
        return new SubscriptionRequest(
                inside(subscription.filter()),
                subscription.maximumQos(),
                subscription.noLocal(),
                subscription.retainAsPublished(),
                subscriptionId);
    }

    private CompletionStage<List<Outcome>> made(List<SubscriptionRequest> requests) {
        if (requests.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        return context.backend()
                .subscriptions()
                .subscribe(identity.subscriber(), identity.epoch(), requests, room())
                .thenCompose(outcomes -> shared(requests, outcomes));
    }

    private long room() {
        TenantConnection quota = identity.quota();
        return quota == null
                ? Long.MAX_VALUE
                : quota.roomForSubscriptions(context.backend().subscriptions()::count);
    }

    /** Creates the group's own session for each shared subscription of applications; the group's members share it. */
    private CompletionStage<List<Outcome>> shared(List<SubscriptionRequest> requests, List<Outcome> outcomes) {
        Set<TopicFilter> filters = new LinkedHashSet<>();
        for (int i = 0; i < requests.size(); i++) {
            if (isSharedByApplications(requests.get(i)) && outcomes.get(i).isMade()) {
                filters.add(requests.get(i).filter());
            }
        }
        CompletionStage<Set<TopicFilter>> failed = CompletableFuture.completedStage(new HashSet<>());
        for (TopicFilter filter : filters) {
            failed = failed.thenCombine(isShared(filter), (all, isShared) -> {
                if (!isShared) {
                    all.add(filter);
                }
                return all;
            });
        }
        return failed.thenCompose(all -> takenBack(all, requests, outcomes));
    }

    private CompletionStage<Boolean> isShared(TopicFilter filter) {
        return context.backend().share().apply(filter).handle((_, failure) -> {
            if (failure != null) {
                LOG.debug("{} may not share {}", name(), TenantNames.display(filter.toString()), failure);
            }
            return failure == null;
        });
    }

    /**
     * The client is told that these are not there: those that are new are removed. One that was there before stays,
     * with what was asked for now, and is handed out as soon as a node can.
     */
    private CompletionStage<List<Outcome>> takenBack(
            Set<TopicFilter> failed, List<SubscriptionRequest> requests, List<Outcome> outcomes) {
        if (failed.isEmpty()) {
            return CompletableFuture.completedStage(outcomes);
        }
        List<TopicFilter> created = new ArrayList<>();
        List<Outcome> told = new ArrayList<>(outcomes);
        for (int i = 0; i < requests.size(); i++) {
            TopicFilter filter = requests.get(i).filter();
            if (failed.contains(filter)) {
                if (outcomes.get(i) == Outcome.CREATED) {
                    created.add(filter);
                }
                told.set(i, Outcome.NOT_SHARED);
            }
        }
        if (created.isEmpty()) {
            return CompletableFuture.completedStage(told);
        }
        return context.backend()
                .subscriptions()
                .unsubscribe(identity.subscriber(), identity.epoch(), created)
                .handle((_, failure) -> {
                    if (failure != null) {
                        LOG.debug("subscriptions of {} that nobody shares were not removed", name(), failure);
                    }
                    return told;
                });
    }

    /** Sends SUBACK first, then the retained messages. */
    private void answer(
            int packetId, List<Answer> answers, @Nullable List<Outcome> outcomes, @Nullable Throwable failure) {
        Iterator<Outcome> made = outcomes == null ? null : outcomes.iterator();
        if (made == null) {
            LOG.debug("subscriptions of {} were not made", name(), failure);
        }
        List<ReasonCode> reasons = new ArrayList<>(answers.size());
        for (Answer answer : answers) {
            reasons.add(
                    switch (answer) {
                        case Allowed allowed ->
                            made == null ? ReasonCode.UNSPECIFIED_ERROR : granted(allowed, made.next());
                        case Denied(ReasonCode reason) -> reason;
                    });
        }
        replies.suback(packetId, reasons);
        replay.proceed();
    }

    private ReasonCode granted(Allowed allowed, Outcome outcome) {
        return switch (outcome) {
            case CREATED -> created(allowed);
            case REPLACED -> replaced(allowed);
            case QUOTA_EXCEEDED -> ReasonCode.QUOTA_EXCEEDED;
            case TENANT_QUOTA_EXCEEDED -> refusedForTenant();
            case NODE_QUOTA_EXCEEDED -> refusedForNode();
            case NOT_SHARED -> ReasonCode.UNSPECIFIED_ERROR;
        };
    }

    private ReasonCode refusedForNode() {
        context.services().recorder().subscriptionRefused();
        return ReasonCode.QUOTA_EXCEEDED;
    }

    private ReasonCode refusedForTenant() {
        if (identity.quota() != null) {
            identity.quota().refused(Limit.SUBSCRIPTIONS);
        }
        return ReasonCode.QUOTA_EXCEEDED;
    }

    /** A shared subscription brings no retained messages; [MQTT-3.3.1-9] to [MQTT-3.3.1-11] say when others do. */
    private ReasonCode created(Allowed allowed) {
        boolean isWanted = allowed.subscription().retainHandling() != RetainHandling.DO_NOT_SEND;
        if (isWanted && !allowed.request().filter().isShared()) {
            replay.add(retained(allowed.request()));
        }
        return ReasonCode.granted(allowed.request().qos());
    }

    /** What the subscription before has not brought yet comes by the new one, or with all others once more. */
    private ReasonCode replaced(Allowed allowed) {
        SubscriptionRequest request = allowed.request();
        if (allowed.subscription().retainHandling() != RetainHandling.SEND) {
            replay.change(request.filter(), _ -> retained(request));
        } else if (!request.filter().isShared()) {
            replay.add(retained(request));
        }
        return ReasonCode.granted(request.qos());
    }

    private RetainedReplay.Request retained(SubscriptionRequest request) {
        String exceptFrom = request.noLocal() ? identity.clientId() : null;
        return new RetainedReplay.Request(request.filter(), request.qos(), request.subscriptionId(), exceptFrom);
    }

    private static List<ReasonCode> reasons(int count, @Nullable List<Boolean> existed) {
        List<ReasonCode> reasons = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            reasons.add(existed == null ? ReasonCode.UNSPECIFIED_ERROR : reason(existed.get(i)));
        }
        return reasons;
    }

    private static ReasonCode reason(boolean existed) {
        return existed ? ReasonCode.SUCCESS : ReasonCode.NO_SUBSCRIPTION_EXISTED;
    }
}
