package io.tributary.broker.subscription;

import io.tributary.broker.subscription.SessionSubscriptions.Change;
import io.tributary.common.topic.TopicFilter;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All subscriptions: those of persistent sessions are kept in a replicated map by client, those of transient sessions in
 * memory. Every method may be called from any thread and never blocks.
 *
 * <p>A subscriber is a session, not a client: what an old session of a client does or leaves behind never touches the
 * subscriptions of a newer one.
 */
public final class Subscriptions {

    /** What became of a request. */
    public enum Outcome {
        /** The subscription is new. */
        CREATED,
        /** It replaced one of the same client with the same filter. */
        REPLACED,
        /** The client has as many subscriptions as it may. */
        QUOTA_EXCEEDED
    }

    private final SubscriptionLimits limits;
    private final SharedGroups groups;
    private final SubscriptionIndex index;
    private final PersistentSubscriptions persistent;
    private final TransientSubscriptions transients;

    /**
     * Creates them; nothing matches before {@link #start}.
     *
     * @param map keeps the subscriptions of persistent sessions; nobody else follows it
     */
    public Subscriptions(ReplicatedMap map, Routes routes, SubscriptionLimits limits, SharedGroups groups) {
        this.limits = limits;
        this.groups = groups;
        index = new SubscriptionIndex(groups, limits.cachedTopics());
        persistent = new PersistentSubscriptions(map, index);
        transients = new TransientSubscriptions(index);
    }

    /** Loads the stored subscriptions. The stage fails when one of them cannot be read: it would silently not match. */
    public CompletionStage<@Nullable Void> start() {
        return persistent.start();
    }

    /**
     * Has somebody told of each persistent session whose subscriptions have changed, on a thread of the map, which must not be
     * blocked. A session that is over may have written them last: whoever knows calls {@link #end} again.
     */
    public void watch(Consumer<Subscriber> watcher) {
        persistent.watch(watcher);
    }

    /**
     * Makes subscriptions. When the stage completes they are durable (persistent sessions) and match.
     *
     * @return one outcome for each request, in their order
     */
    public CompletionStage<List<Outcome>> subscribe(Subscriber subscriber, List<SubscriptionRequest> requests) {
        return change(subscriber, session -> session.subscribe(requests, limits.perClient()));
    }

    /**
     * Removes subscriptions. When the stage completes they do not match any more.
     *
     * @return for each filter whether it existed
     */
    public CompletionStage<List<Boolean>> unsubscribe(Subscriber subscriber, List<TopicFilter> filters) {
        return change(subscriber, session -> session.unsubscribe(filters));
    }

    /**
     * Tells that a session has a connection, so that shared subscriptions choose it. Each call is followed by one of
     * {@link #offline}; in a takeover the two of the old connection and the new one may come in any order.
     */
    public void online(Subscriber subscriber) {
        if (subscriber.persistent()) {
            groups.online(subscriber);
        }
    }

    /** Tells that a session lost a connection. */
    public void offline(Subscriber subscriber) {
        if (subscriber.persistent()) {
            groups.offline(subscriber);
        }
    }

    /** Removes all subscriptions of a session that is over; those of a newer session of the client stay. */
    public void end(Subscriber subscriber) {
        if (subscriber.persistent()) {
            persistent.end(subscriber);
            groups.forget(subscriber);
        } else {
            transients.end(subscriber);
        }
    }

    /** All that subscribes to a topic; what was subscribed before the call is in it. */
    public Matches match(String topic) {
        return index.match(topic);
    }

    /** The shared subscription that clients write in the given way, {@code $share/name/filter}; null when it has no member. */
    public @Nullable SharedGroup group(String name) {
        return groups.find(name);
    }

    /** Stub. */
    public void gone(String node) {}

    /** Stub. */
    public void sweep(java.util.function.Predicate<String> isDead, boolean owns) {}

    /** Stub. */
    public void repairWith(java.util.function.Predicate<String> owns) {}

    /** All persistent sessions that have subscriptions: whoever knows that one is over calls {@link #end}. */
    public List<Subscriber> persistentClients() {
        return persistent.sessions();
    }

    /** The subscriptions of a session that match now, in no order. */
    public List<SubscriptionRequest> of(Subscriber subscriber) {
        SessionSubscriptions session =
                subscriber.persistent() ? persistent.get(subscriber) : transients.get(subscriber);
        return List.copyOf(session.byFilter().values());
    }

    /** How many subscriptions there are, shared ones not counted. */
    public long count() {
        return index.count();
    }

    /** How many memberships in shared subscriptions there are. */
    public long sharedCount() {
        return index.sharedCount();
    }

    /** How many sessions have subscriptions. */
    public int sessionCount() {
        return persistent.sessionCount() + transients.sessionCount();
    }

    private <R> CompletionStage<List<R>> change(
            Subscriber subscriber, Function<SessionSubscriptions, Change<R>> decide) {
        return subscriber.persistent()
                ? persistent.change(subscriber, decide)
                : CompletableFuture.completedStage(transients.change(subscriber, decide));
    }
}
