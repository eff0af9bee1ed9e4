package io.tributary.broker.subscription;

import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.Permissions;
import io.tributary.broker.subscription.SessionSubscriptions.Change;
import io.tributary.broker.subscription.SubscriptionRequest.Outcome;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.Principal;
import io.tributary.common.topic.TopicFilter;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All subscriptions: those of persistent sessions are kept in a replicated map by client, those of transient sessions
 * in memory, and other nodes know only where to send what matches. Every method may be called from any thread and never
 * blocks.
 *
 * <p>A subscriber is a session, not a client: what an old session of a client does or leaves behind never touches the
 * subscriptions of a newer one.
 */
public final class Subscriptions implements ClientSubscriptions {

    private final SubscriptionLimits limits;
    private final SharedGroups groups;
    private final SharedGroups applications;
    private final Routes routes;
    private final @Nullable RemoteRoutes remote;
    private final SubscriptionIndex index;
    private final SubscriptionBudget budget;
    private final WritePace pace;
    private final PersistentSubscriptions persistent;
    private final TransientSubscriptions transients;

    /**
     * Creates them, whose subscribers may have all that their subscriptions bring; nothing matches before
     * {@link #start}.
     *
     * @param map keeps the subscriptions of persistent sessions; has no other follower
     * @param routes how other nodes are told of transient sessions, and who has which connection
     * @param choice how shared subscriptions choose members
     * @param inFlight how many unacknowledged messages a session has, negative when it is not connected to this node;
     *     any thread, must not block; asked only by {@link SharedStrategy#LEAST_IN_FLIGHT}
     * @param shards how many shards there are
     * @param shardOf the shard of a client identifier
     */
    public Subscriptions(
            ReplicatedMap map,
            Routes routes,
            SubscriptionLimits limits,
            SharedChoice choice,
            ToIntFunction<Subscriber> inFlight,
            int shards,
            ToIntFunction<String> shardOf) {
        this(map, routes, limits, choice, inFlight, shards, shardOf, Authorizer.allowAll(), System::nanoTime);
    }

    /**
     * The same.
     *
     * @param authorizer says what subscribers may have of what their subscriptions bring
     * @param nanoTime the time in nanoseconds of any origin
     */
    public Subscriptions(
            ReplicatedMap map,
            Routes routes,
            SubscriptionLimits limits,
            SharedChoice choice,
            ToIntFunction<Subscriber> inFlight,
            int shards,
            ToIntFunction<String> shardOf,
            Authorizer authorizer,
            LongSupplier nanoTime) {
        this.limits = limits;
        this.routes = routes;
        groups = new SharedGroups(choice, inFlight, routes);
        applications = new SharedGroups(choice, inFlight, routes);
        budget = new SubscriptionBudget(limits.totalBytes(), nanoTime);
        index = new SubscriptionIndex(groups, applications, limits.cachedTopics(), authorizer, budget);
        UnwrittenSubscriptions unwritten = new UnwrittenSubscriptions(nanoTime);
        pace = new WritePace(nanoTime);
        persistent = new PersistentSubscriptions(
                map, !routes.isNone(), index, shards, shardOf, routes.format(), pace, unwritten);
        transients = new TransientSubscriptions(index, routes, pace, unwritten);
        remote = RemoteRoutes.beside(routes, index);
    }

    /**
     * Loads the stored subscriptions, and what other nodes have told. The stage fails when a stored one cannot be read:
     * it would silently not match.
     */
    public CompletionStage<@Nullable Void> start() {
        CompletionStage<@Nullable Void> told = remote == null ? CompletableFuture.completedStage(null) : remote.start();
        return persistent.start().thenCombine(told, (_, _) -> null);
    }

    /** Makes routes that a dead node announced for its sessions void at once. */
    public void gone(String node) {
        if (remote != null) {
            remote.gone(node);
        }
    }

    /**
     * Looks after the nodes' announcements: makes routes of dead nodes void that came after {@link #gone}, repeats
     * writes that failed, and removes dead nodes' records from the map. About once a second, by one thread; each call
     * does a limited amount of work.
     *
     * @param isDead whether a node, {@code name#number}, is known to be dead for good; must be false for one that is
     *     only not known yet: its routes may be seen here before it is
     * @param isFirst whether this node has to remove dead nodes' records from the map
     */
    public void sweep(Predicate<String> isDead, boolean isFirst) {
        if (remote != null) {
            routes.retry();
            remote.sweep(isDead, isFirst);
        }
    }

    /**
     * Looks which members of devices' shared subscriptions are connected here and stuck: they have messages in flight
     * and acknowledge none, so that others get their share. About once a second, by one thread.
     *
     * @param flowOf what a session has in flight in the lower half, and had before in the upper one; negative when it
     *     is not connected to this node
     */
    public void lookForStuck(ToLongFunction<Subscriber> flowOf) {
        groups.look(flowOf);
    }

    /**
     * Has what clients may have of their subscriptions decided again, for other rules hold. Messages that are routed
     * meanwhile go by the rules before, or by the new ones.
     *
     * @return a small action for each session; any thread, none blocks
     */
    public Iterator<Runnable> looks() {
        Stream<Runnable> members = remote == null ? Stream.empty() : remote.looks();
        return Stream.of(persistent.looks(), transients.looks(), members)
                .flatMap(looks -> looks)
                .iterator();
    }

    /**
     * The persistent sessions that have subscriptions which rules do not cover as they are, judged without their
     * connections; of the whole cluster, in no order. Whoever serves one {@link #withdraw withdraws} them.
     */
    public Iterator<Subscriber> uncovered() {
        return persistent.uncovered();
    }

    @Override
    public boolean areWithin(Subscriber subscriber, Permissions permissions) {
        return sessionOf(subscriber).areWithin(permissions);
    }

    @Override
    public CompletionStage<List<Withdrawal>> withdraw(Subscriber subscriber, long epoch, Permissions permissions) {
        return subscriber.persistent()
                ? persistent.withdraw(subscriber, epoch, permissions)
                : transients.withdraw(subscriber, permissions);
    }

    /**
     * Withdraws what a session may not have that is away, by what is stored with it. The caller is to own its shard,
     * and to be current. Does no harm to a session that has a connection again.
     *
     * @return what was withdrawn, when it is durable
     */
    public CompletionStage<List<Withdrawal>> withdrawAway(Subscriber subscriber) {
        return persistent.withdrawAway(subscriber);
    }

    /**
     * Writes again what the late records of a paused node have replaced; about once a second. Each call does a limited
     * amount of work.
     *
     * @param ownsClient whether this node owns the shard of a client, and so has to
     */
    public void repair(Predicate<String> ownsClient) {
        persistent.repair(ownsClient);
        pace.tidy();
    }

    /**
     * Sets the listener that is told of each persistent session whose subscriptions have changed, on a thread of the
     * map, which must not be blocked. A session that is over may have written them last: a listener that knows calls
     * {@link #end} again.
     */
    public void watch(Consumer<Subscriber> watcher) {
        persistent.watch(watcher);
    }

    /**
     * Makes subscriptions. When the stage completes they are durable (persistent sessions) and match on all live nodes;
     * when it fails none of them was made.
     *
     * @param epoch the epoch of the connection that asks for it, which decides whose changes of a persistent session
     *     are newer; without effect for a transient one
     * @param room how many new ones the session's tenant may have
     * @return one outcome for each request, in their order
     */
    @Override
    public CompletionStage<List<Outcome>> subscribe(
            Subscriber subscriber, long epoch, List<SubscriptionRequest> requests, long room) {
        SubscriptionBudget.Reservation reserved = budget.reservation(subscriber);
        try {
            return change(subscriber, epoch, session -> session.subscribe(requests, limits, room, reserved::admit))
                    .whenComplete((_, _) -> reserved.end()); // the index shows what was made
        } catch (RuntimeException | Error failure) {
            reserved.end();
            throw failure;
        }
    }

    /**
     * Removes subscriptions. When the stage completes they do not match any more.
     *
     * @param epoch as in {@link #subscribe}
     * @return for each filter whether it existed
     */
    @Override
    public CompletionStage<List<Boolean>> unsubscribe(Subscriber subscriber, long epoch, List<TopicFilter> filters) {
        return change(subscriber, epoch, session -> session.unsubscribe(filters));
    }

    /**
     * How long a client is to wait before its next change, since its changes before have written as much as they may
     * for now; 0 for not at all.
     */
    @Override
    public long waitNanos(Subscriber subscriber) {
        return pace.waitNanos(subscriber.clientId());
    }

    /**
     * Tells that a session has a connection, so that shared subscriptions choose it. Each call is followed by one of
     * {@link #offline}; in a takeover the two of the old connection and the new one may come in any order.
     */
    @Override
    public void online(Subscriber subscriber) {
        if (subscriber.persistent()) {
            index.groupsOf(subscriber).online(subscriber);
        }
    }

    /**
     * Tells that a session lost a connection.
     *
     * @return completes when no live node takes the session for connected here; fails when one may for now
     */
    @Override
    public CompletionStage<@Nullable Void> offline(Subscriber subscriber) {
        return subscriber.persistent()
                ? index.groupsOf(subscriber).offline(subscriber)
                : CompletableFuture.completedStage(null);
    }

    /** Removes all subscriptions of a session that is over; those of a newer session of the client stay. */
    @Override
    public void end(Subscriber subscriber) {
        if (subscriber.persistent()) {
            persistent.end(subscriber);
            groups.forget(subscriber);
            applications.forget(subscriber);
        } else {
            transients.end(subscriber);
        }
    }

    @Override
    public CompletionStage<?> resumed(Subscriber subscriber, long epoch) {
        if (subscriber.persistent()) {
            return persistent.resumed(subscriber, epoch);
        }
        transients.renewed(subscriber);
        return CompletableFuture.completedStage(null);
    }

    /**
     * Whose session a persistent session with subscriptions is, also while it is away; null when that is not known: its
     * subscriptions were stored in format 1, or it has none.
     */
    public @Nullable Principal principal(Subscriber subscriber) {
        return persistent.get(subscriber).principal();
    }

    /** Whether there may be subscriptions that bring messages which their clients may not have. */
    public boolean areLimited() {
        return index.isLimited();
    }

    /** All that subscribes to a topic; what was subscribed before the call is in it. */
    public Matches match(String topic) {
        return index.match(topic);
    }

    /**
     * The shared subscription that clients write in the given way, {@code $share/name/filter}; null when it has no
     * member.
     */
    public @Nullable SharedGroup group(String name) {
        return groups.find(name);
    }

    /**
     * The shared subscriptions of applications with persistent sessions. {@link #match} does not find their members but
     * the session that they have together, by the name of {@link io.tributary.common.event.GroupIdentifier}.
     */
    public SharedGroups applications() {
        return applications;
    }

    /** The session of a shared subscription's applications together, as long as it is subscribed; else null. */
    public @Nullable Subscriber sessionOf(String group) {
        return persistent.subscribed(GroupIdentifier.of(group));
    }

    /** The shared subscriptions whose applications have a session together, or that have other members. */
    public Set<String> sharedNames() {
        return groups.names();
    }

    /**
     * Whether a persistent session is connected, to this node or another; known of members of shared subscriptions
     * only.
     */
    public boolean isOnline(Subscriber subscriber) {
        return groups.isOnline(subscriber);
    }

    /** Whether a persistent session has or had subscriptions, and is not known to be over. */
    public boolean lives(String clientId, long session) {
        return persistent.lives(clientId, session);
    }

    /**
     * All persistent sessions that have, or had, subscriptions: a caller that knows one to be over calls {@link #end}.
     * What changes while they are looked at may be among them or not.
     */
    public Stream<Subscriber> persistentClients(int shard) {
        return persistent.sessions(shard);
    }

    /**
     * The first persistent sessions after a client identifier, in the order of their clients' identifiers by code
     * point; those that have, or had, subscriptions and are not known to be over. Looks at all sessions, which
     * takes up to a second for a million, and holds no more than the page: for a thread that nobody waits for.
     *
     * @param tenant whose clients'; null for those of no tenant
     * @param kind where their messages wait; null for any
     * @param after the identifier as the client knows it, which need not be any client's; empty to begin
     * @param limit how many at most
     */
    public List<Subscriber> page(@Nullable String tenant, @Nullable ClientKind kind, String after, int limit) {
        return persistent.page(tenant, kind, after, limit);
    }

    /** The persistent session of a client, as {@link #page} has it; null for none. */
    public @Nullable Subscriber session(String clientId) {
        return persistent.session(clientId);
    }

    /** How many subscriptions a persistent session has that match now. */
    public int countOf(Subscriber subscriber) {
        return persistent.count(subscriber);
    }

    /**
     * Ends the persistent sessions of a shard that are over, as its owner knows, one in each step.
     *
     * @param upTo the owner knows sessions up to this identity
     * @param sessionOf the identity of a client's session at the moment, -1 when it has none
     */
    public Iterator<Runnable> endOver(int shard, long upTo, ToLongFunction<String> sessionOf) {
        return persistentClients(shard)
                .<Runnable>map(subscriber -> () -> {
                    boolean isKnown = subscriber.identity() <= upTo;
                    if (isKnown && sessionOf.applyAsLong(subscriber.clientId()) != subscriber.identity()) {
                        end(subscriber);
                    }
                })
                .iterator();
    }

    /** The subscriptions of a session that match now, in no order. */
    public List<SubscriptionRequest> of(Subscriber subscriber) {
        return List.copyOf(sessionOf(subscriber).byFilter().values());
    }

    private SessionSubscriptions sessionOf(Subscriber subscriber) {
        return subscriber.persistent() ? persistent.get(subscriber) : transients.get(subscriber);
    }

    /** How many subscriptions there are: those of all persistent sessions and of this node's transient ones. */
    public SubscriptionCount count() {
        return persistentCount().plus(transientCount());
    }

    /** The number of subscriptions of all persistent sessions of the cluster. */
    public SubscriptionCount persistentCount() {
        return index.counter(true).count();
    }

    /** The number of subscriptions of this node's transient sessions. */
    public SubscriptionCount transientCount() {
        return index.counter(false).count();
    }

    /** About how much memory all subscriptions take that this node knows, in bytes; also those that are being made. */
    public long sizeBytes() {
        return budget.used();
    }

    /** How many subscriptions a tenant's sessions have: all persistent ones, and this node's transient ones. */
    @Override
    public long count(String tenant) {
        return index.counter(true).count(tenant) + index.counter(false).count(tenant);
    }

    /**
     * How many subscriptions each tenant has that has some; changes with them.
     *
     * @param ofPersistent whether those of all persistent sessions, or those of this node's transient ones
     */
    public Map<String, Long> countByTenant(boolean ofPersistent) {
        return Collections.unmodifiableMap(index.counter(ofPersistent).byTenant());
    }

    /** How many of these sessions have subscriptions. */
    public int sessionCount() {
        return persistent.sessionCount() + transients.sessionCount();
    }

    private <R> CompletionStage<List<R>> change(
            Subscriber subscriber, long epoch, Function<SessionSubscriptions, Change<R>> decide) {
        return subscriber.persistent()
                ? persistent.change(subscriber, epoch, decide)
                : transients.change(subscriber, decide);
    }
}
