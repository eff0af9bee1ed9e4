package io.tributary.broker.subscription;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tributary.broker.security.Permissions;
import io.tributary.broker.subscription.SessionSubscriptions.Change;
import io.tributary.common.collection.NameTable;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.Principal;
import io.tributary.common.event.PrincipalFormat;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.TenantNames;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.topic.TopicName;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subscriptions of persistent sessions, in a replicated map by client identifier. A change is decided on what was
 * written last and written at once; the index follows what comes back from the map, as it does for other nodes.
 *
 * <p><b>Late records.</b> A node that was paused may write what is no longer so. So each record says of which session
 * and connection it is, also the one that ends subscriptions; an older one is ignored, and {@link #repair} writes the
 * newer one again. A removal from the map says nothing, it only gives back storage.
 *
 * <p><b>Another node.</b> When a client has been told that a change is made, all live nodes show it. So the node to
 * which a client moves builds its next change on everything that was acknowledged; what was not may be lost.
 */
final class PersistentSubscriptions {
    private static final Logger LOG = LoggerFactory.getLogger(PersistentSubscriptions.class);
    private static final int LOCKS = 64;
    private static final int MOST_REPAIRS = 1_000;
    /** What identifiers begin with that are no client's without a tenant. */
    private static final byte[] MARK = {TopicName.TENANT_MARK};

    private static final SessionSubscriptions NOTHING = SessionSubscriptions.none(Long.MIN_VALUE);

    private final ReplicatedMap map;
    private final boolean isShared;
    private final SubscriptionIndex index;
    private final RecordFormat format;
    private final WritePace pace;
    private final UnwrittenSubscriptions unwritten;
    private final ToIntFunction<String> shardOf;
    /**
     * What was read last of each client and is not late; also without subscriptions, as long as it is in the map; by
     * shard.
     */
    private final List<Applied> applied;

    private final ConcurrentMap<String, Write> writes = new ConcurrentHashMap<>();
    /** The clients whose newest record was replaced in the map by a late one. */
    private final Set<String> damaged = ConcurrentHashMap.newKeySet();

    /** The clients with subscriptions that rules do not cover as they are, for all that is known here. */
    private final Set<String> uncovered = ConcurrentHashMap.newKeySet();

    private final Object[] locks = new Object[LOCKS];
    private volatile @Nullable UnreadableRecordException unreadable;
    private volatile Consumer<Subscriber> watcher = _ -> {};
    private final AtomicInteger sessionCount = new AtomicInteger();

    /**
     * Creates them; there are none before {@link #start}.
     *
     * @param isShared whether other nodes write to the map, too
     * @param shards how many shards there are
     * @param shardOf the shard of a client
     * @param format in which records are written; is told of those that this version is too old to read
     * @param pace is told what is written
     * @param unwritten is told what could not be written
     */
    PersistentSubscriptions(
            ReplicatedMap map,
            boolean isShared,
            SubscriptionIndex index,
            int shards,
            ToIntFunction<String> shardOf,
            RecordFormat format,
            WritePace pace,
            UnwrittenSubscriptions unwritten) {
        this.format = format;
        this.pace = pace;
        this.unwritten = unwritten;
        this.shardOf = shardOf;
        applied = Stream.generate(Applied::new).limit(shards).toList();
        this.map = map;
        this.isShared = isShared;
        this.index = index;
        Arrays.setAll(locks, i -> new Object());
    }

    /** Loads what is in the map; fails when it holds a record that this version cannot read. */
    CompletionStage<@Nullable Void> start() {
        return map.follow(new Changes()).thenCompose(loaded -> {
            UnreadableRecordException failure = unreadable;
            return failure == null ? CompletableFuture.completedStage(null) : CompletableFuture.failedStage(failure);
        });
    }

    /** Sets the listener that is told of each session whose subscriptions change. */
    void watch(Consumer<Subscriber> newWatcher) {
        watcher = newWatcher;
    }

    /**
     * Makes the change that the function decides on; it is durable and matches when the stage completes. Fails when
     * another connection has the session, or the client has a newer one.
     *
     * @param epoch the epoch of the connection that makes it
     */
    <R> CompletionStage<List<R>> change(
            Subscriber subscriber, long epoch, Function<SessionSubscriptions, Change<R>> decide) {
        synchronized (lock(subscriber.clientId())) {
            SessionSubscriptions latest = latest(subscriber.clientId());
            boolean sameSession = latest.identity() == subscriber.identity();
            Change<R> change = decide.apply(sameSession ? latest : SessionSubscriptions.none(subscriber.identity()));
            SessionSubscriptions after =
                    latest.changedBy(epoch, change.after().of(subscriber.kind(), principal(subscriber)));
            if (after.isOlderThan(latest)) {
                return CompletableFuture.failedStage(new IllegalStateException(
                        "the session is over, or another connection has it, and this one is about to be told"));
            }
            return save(subscriber.clientId(), latest, after).thenApply(_ -> change.results());
        }
    }

    /**
     * A connection goes on with a session that has subscriptions: has their record say whose session it is, where it
     * says nothing or something else; also the one that is on its way.
     *
     * @param epoch the epoch of the connection
     * @return completes when it does, and what was changed before, such as withdrawn, matches
     */
    CompletionStage<?> resumed(Subscriber subscriber, long epoch) {
        String clientId = subscriber.clientId();
        Principal principal = principal(subscriber);
        synchronized (lock(clientId)) {
            SessionSubscriptions known = latest(clientId);
            if (known.identity() == subscriber.identity()
                    && principal != null
                    && !known.isEmpty()
                    && !principal.equals(known.principal())) {
                return change(subscriber, epoch, latest -> new Change<>(latest, List.of()));
            }
            return arrived(clientId);
        }
    }

    /** Whose session it is, as far as records say at present. */
    private @Nullable Principal principal(Subscriber subscriber) {
        return format.toWrite() < PrincipalFormat.FIRST ? null : subscriber.principal();
    }

    /** Removes the subscriptions of a session that is over, unless they are those of a newer one. */
    void end(Subscriber subscriber) {
        String clientId = subscriber.clientId();
        synchronized (lock(clientId)) {
            SessionSubscriptions latest = latest(clientId);
            if (latest.equals(NOTHING) || latest.identity() > subscriber.identity()) {
                return;
            }
            if (!latest.isOver()) {
                write(clientId, SessionSubscriptions.over(subscriber.identity()));
            } else if (!writes.containsKey(clientId)) {
                remove(clientId); // that has failed before
            }
        }
    }

    /**
     * Writes again what a late record has replaced in the map; a limited number at a time.
     *
     * @param ownsClient whether this node owns the client's shard, and so has to
     */
    void repair(Predicate<String> ownsClient) {
        Iterator<String> clients = damaged.iterator();
        for (int repairs = 0; clients.hasNext() && repairs < MOST_REPAIRS; ) {
            String clientId = clients.next();
            if (ownsClient.test(clientId)) {
                repair(clientId);
                repairs++;
            }
        }
    }

    /** One action for each session, which has what its client may have of its subscriptions decided again. */
    Stream<Runnable> looks() {
        return applied.stream().flatMap(shard -> shard.entries().stream()).map(session -> () -> look(session));
    }

    private void look(PackedSession session) {
        String clientId = session.clientId();
        synchronized (lock(clientId)) {
            PackedSession now = packed(clientId);
            if (now != null) {
                SessionSubscriptions known = now.subscriptions();
                index.look(subscriber(clientId, known), known.byFilter(), standIn(now));
                judge(clientId, known);
            }
        }
    }

    /** Notes whether something of a session is to be withdrawn. */
    private void judge(String clientId, SessionSubscriptions known) {
        if (known.isEmpty() || index.isWithinRights(subscriber(clientId, known), known)) {
            uncovered.remove(clientId);
        } else {
            uncovered.add(clientId);
        }
    }

    /** The sessions with subscriptions that rules do not cover as they are, without what their connections know. */
    Iterator<Subscriber> uncovered() {
        return uncovered.stream()
                .flatMap(clientId -> Stream.ofNullable(subscribed(clientId)))
                .iterator();
    }

    /**
     * Withdraws what a client may not have as it is.
     *
     * @param epoch the epoch of the connection that asks for it
     */
    CompletionStage<List<Withdrawal>> withdraw(Subscriber subscriber, long epoch, Permissions permissions) {
        synchronized (lock(subscriber.clientId())) {
            SessionSubscriptions latest = latest(subscriber.clientId());
            return latest.identity() != subscriber.identity() || epoch < latest.epoch() || latest.areWithin(permissions)
                    ? CompletableFuture.completedStage(List.of())
                    : change(subscriber, epoch, session -> session.within(permissions));
        }
    }

    /**
     * The same for a session that is away, as its last connection would: whatever the next one does is newer. So it
     * does no harm when that comes meanwhile.
     */
    CompletionStage<List<Withdrawal>> withdrawAway(Subscriber subscriber) {
        synchronized (lock(subscriber.clientId())) {
            SessionSubscriptions latest = latest(subscriber.clientId());
            Subscriber now = subscriber(subscriber.clientId(), latest); // it may have been connected since it was found
            return latest.isOver() || index.isWithinRights(now, latest)
                    ? CompletableFuture.completedStage(List.of())
                    : withdraw(now, latest.epoch(), index.permissions(now));
        }
    }

    SessionSubscriptions get(Subscriber subscriber) {
        PackedSession known = packed(subscriber.clientId());
        return known == null || known.identity() != subscriber.identity()
                ? SessionSubscriptions.none(subscriber.identity())
                : known.subscriptions();
    }

    /** The client's session, if it has subscriptions. */
    @Nullable
    Subscriber subscribed(String clientId) {
        PackedSession known = packed(clientId);
        return known == null || known.isEmpty() ? null : subscriber(clientId, known.subscriptions());
    }

    /** Whether a session has or had subscriptions, and is not known to be over. */
    boolean lives(String clientId, long session) {
        PackedSession known = packed(clientId);
        return known != null && known.identity() == session && !known.isOver();
    }

    /** All sessions of a shard that have or had subscriptions, without their principals. */
    Stream<Subscriber> sessions(int shard) {
        return applied.get(shard).entries().stream()
                .map(session ->
                        new Subscriber(session.clientId(), true, session.identity(), null, session.kind(), null));
    }

    /** {@link Subscriptions#page}. */
    List<Subscriber> page(@Nullable String tenant, @Nullable ClientKind kind, String after, int limit) {
        byte[] prefix = TenantNames.clientId(tenant, "").getBytes(UTF_8);
        byte[] begin = TenantNames.clientId(tenant, after).getBytes(UTF_8);
        // A set, for an entry that is removed and put again meanwhile may be seen twice.
        TreeSet<PackedSession> first = new TreeSet<>(PackedSession.BY_CLIENT);
        for (Applied shard : applied) {
            for (PackedSession session : shard.entries()) {
                boolean isOfPage = session.isAfter(begin)
                        && (tenant == null ? !session.beginsWith(MARK) : session.beginsWith(prefix))
                        && (kind == null || session.kind() == kind)
                        && !session.isOver();
                if (isOfPage && (first.size() < limit || PackedSession.BY_CLIENT.compare(session, first.last()) < 0)) {
                    first.add(session);
                    if (first.size() > limit) {
                        first.pollLast();
                    }
                }
            }
        }
        return first.stream()
                .map(session -> subscriber(session.clientId(), session.subscriptions()))
                .toList();
    }

    /** The client's session, if it has or had subscriptions and is not known to be over. */
    @Nullable
    Subscriber session(String clientId) {
        PackedSession known = packed(clientId);
        return known == null || known.isOver() ? null : subscriber(clientId, known.subscriptions());
    }

    /** How many subscriptions a session has. */
    int count(Subscriber subscriber) {
        PackedSession known = packed(subscriber.clientId());
        return known == null || known.identity() != subscriber.identity() ? 0 : known.count();
    }

    /** How many sessions have subscriptions. */
    int sessionCount() {
        return sessionCount.get();
    }

    /** Writes what changed; what is already there, or on its way, is not written again. */
    private CompletionStage<@Nullable Void> save(
            String clientId, SessionSubscriptions before, SessionSubscriptions after) {
        return isKnown(before, after) ? arrived(clientId) : write(clientId, after);
    }

    /** Completes when what was written last matches. */
    private CompletionStage<@Nullable Void> arrived(String clientId) {
        Write pending = writes.get(clientId);
        return pending == null ? CompletableFuture.completedStage(null) : pending.done;
    }

    /**
     * Another connection may have changes on their way through another node, which must be older than what is
     * acknowledged.
     */
    private boolean isKnown(SessionSubscriptions before, SessionSubscriptions after) {
        if (after.isEmpty() && before.isEmpty() && before.identity() != after.identity()) {
            return true;
        }
        return before.identity() == after.identity()
                && before.byFilter().equals(after.byFilter())
                && Objects.equals(before.principal(), after.principal())
                && (!isShared || before.epoch() == after.epoch());
    }

    private CompletionStage<@Nullable Void> write(String clientId, SessionSubscriptions after) {
        byte[] record = SubscriptionsCodec.encode(clientId, after, format.toWrite());
        pace.wrote(clientId, record.length);
        CompletionStage<@Nullable Void> done = map.put(clientId, record);
        Write write = new Write(after, done);
        writes.put(clientId, write);
        return done.whenComplete((_, failure) -> {
            writes.remove(clientId, write);
            if (failure != null) {
                unwritten.failed(clientId, failure);
            } else if (after.isOver()) {
                removeIfLatest(clientId, after);
            }
        });
    }

    private void removeIfLatest(String clientId, SessionSubscriptions written) {
        synchronized (lock(clientId)) {
            if (latest(clientId).equals(written)) {
                remove(clientId);
            }
        }
    }

    private void remove(String clientId) {
        map.remove(clientId).whenComplete((_, failure) -> {
            if (failure != null) {
                LOG.debug(
                        "the record of {} stays until its shard has another owner",
                        GroupIdentifier.display(clientId),
                        failure);
            }
        });
    }

    private void repair(String clientId) {
        synchronized (lock(clientId)) {
            PackedSession newest = packed(clientId);
            if (newest != null && !writes.containsKey(clientId)) { // what is on its way comes after the late one
                LOG.warn(
                        "the subscriptions of {} are written again: a late record had replaced them",
                        GroupIdentifier.display(clientId));
                write(clientId, newest.subscriptions());
            }
        }
    }

    /** What was written last, even if the map has not brought it back yet. */
    private SessionSubscriptions latest(String clientId) {
        SessionSubscriptions known = known(clientId);
        Write write = writes.get(clientId);
        return write == null || write.latest.isOlderThan(known) ? known : write.latest;
    }

    private void onChange(String clientId, byte @Nullable [] value) {
        try {
            SessionSubscriptions after = value == null ? null : SubscriptionsCodec.decode(clientId, value);
            synchronized (lock(clientId)) { // for look
                apply(clientId, after, value == null ? null : new PackedSession(clientId, value));
            }
            format.replaced(named(clientId));
        } catch (UnreadableRecordException e) {
            LOG.error("subscriptions of {} cannot be read", GroupIdentifier.display(clientId), e);
            unreadable = e;
            if (e.isNewer()) {
                format.tooNew(named(clientId));
            } else if (packed(clientId) != null) {
                damaged.add(clientId);
            }
        }
    }

    private static String named(String clientId) {
        return "subscriptions of " + clientId;
    }

    private void apply(String clientId, @Nullable SessionSubscriptions after, @Nullable PackedSession packed) {
        SessionSubscriptions before = known(clientId);
        if (after == null ? !before.isEmpty() : after.isOlderThan(before)) {
            damaged.add(clientId);
            return;
        }
        damaged.remove(clientId);
        if (after == null || packed == null) {
            appliedOf(clientId).remove(clientId);
            uncovered.remove(clientId);
            return;
        }
        boolean sameSession = after.identity() == before.identity();
        if (!sameSession && !before.isEmpty()) {
            index.update(subscriber(clientId, before), before.byFilter(), Map.of());
        }
        // A record that says that a session is over does not say where its messages waited.
        ClientKind kind = sameSession ? before.kind() : after.kind();
        Subscriber subscriber = new Subscriber(clientId, true, after.identity(), null, kind, after.principal());
        PackedSession standIn = standIn(packed);
        index.update(subscriber, sameSession ? before.byFilter() : Map.of(), after.byFilter(), standIn);
        if (sameSession && !Objects.equals(before.principal(), after.principal())) {
            index.look(subscriber, after.byFilter(), standIn);
        }
        appliedOf(clientId).put(clientId, packed);
        judge(clientId, after);
        sessionCount.addAndGet((after.isEmpty() ? 0 : 1) - (before.isEmpty() ? 0 : 1));
        if (!after.isOver()) {
            watcher.accept(subscriber(clientId, after));
        }
    }

    private static Subscriber subscriber(String clientId, SessionSubscriptions subscriptions) {
        return new Subscriber(
                clientId, true, subscriptions.identity(), null, subscriptions.kind(), subscriptions.principal());
    }

    private static @Nullable PackedSession standIn(PackedSession session) {
        return session.isSmall() ? session : null;
    }

    private SessionSubscriptions known(String clientId) {
        PackedSession known = packed(clientId);
        return known == null ? NOTHING : known.subscriptions();
    }

    private @Nullable PackedSession packed(String clientId) {
        return appliedOf(clientId).get(clientId);
    }

    private Applied appliedOf(String clientId) {
        return applied.get(shardOf.applyAsInt(clientId));
    }

    private Object lock(String clientId) {
        return locks[Math.floorMod(clientId.hashCode(), LOCKS)];
    }

    /** What the map tells; all is by client, under a lock. */
    private final class Changes implements ReplicatedMap.Follower {
        @Override
        public void onChange(String clientId, byte @Nullable [] value) {
            PersistentSubscriptions.this.onChange(clientId, value);
        }

        @Override
        public boolean takesKeysSideBySide() {
            return true;
        }
    }

    /** Sessions by client identifier. */
    private static final class Applied extends NameTable<PackedSession> {
        @Override
        protected boolean isNamed(PackedSession entry, String name) {
            return entry.isOf(name);
        }
    }

    /** The last write of a client that is on its way. */
    private record Write(SessionSubscriptions latest, CompletionStage<@Nullable Void> done) {}
}
