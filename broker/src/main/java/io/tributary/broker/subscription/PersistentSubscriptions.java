package io.tributary.broker.subscription;

import io.tributary.broker.subscription.SessionSubscriptions.Change;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subscriptions of persistent sessions, in a replicated map by client identifier.
 *
 * <p>A change is decided on what was written last and written at once; the index follows what comes back from the map, as
 * it does for the changes of other nodes. A record of an older session never replaces that of a newer one: identities of
 * one client's sessions grow.
 */
final class PersistentSubscriptions {
    private static final Logger log = LoggerFactory.getLogger(PersistentSubscriptions.class);
    private static final int LOCKS = 64;

    private final ReplicatedMap map;
    private final SubscriptionIndex index;
    private final ConcurrentMap<String, SessionSubscriptions> applied = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Write> writes = new ConcurrentHashMap<>();
    private final Object[] locks = new Object[LOCKS];
    private volatile @Nullable UnreadableRecordException unreadable;
    private volatile Consumer<Subscriber> watcher = _ -> {};

    PersistentSubscriptions(ReplicatedMap map, SubscriptionIndex index) {
        this.map = map;
        this.index = index;
        Arrays.setAll(locks, i -> new Object());
    }

    /** Loads what is in the map; fails when it holds a record that this version cannot read. */
    CompletionStage<@Nullable Void> start() {
        return map.follow(this::onChange).thenCompose(loaded -> {
            UnreadableRecordException failure = unreadable;
            return failure == null ? CompletableFuture.completedStage(null) : CompletableFuture.failedStage(failure);
        });
    }

    /** Has somebody told of each session whose subscriptions change. */
    void watch(Consumer<Subscriber> newWatcher) {
        watcher = newWatcher;
    }

    /** Makes the change that the function decides on; it is durable and matches when the stage completes. */
    <R> CompletionStage<List<R>> change(Subscriber subscriber, Function<SessionSubscriptions, Change<R>> decide) {
        SessionSubscriptions nothing = SessionSubscriptions.none(subscriber.identity());
        synchronized (lock(subscriber.clientId())) {
            SessionSubscriptions latest = latest(subscriber.clientId());
            if (latest.identity() > subscriber.identity()) {
                // The session is over, and its connection about to be told.
                return CompletableFuture.completedStage(decide.apply(nothing).results());
            }
            boolean sameSession = latest.identity() == subscriber.identity();
            Change<R> change = decide.apply(sameSession ? latest : nothing);
            return save(subscriber.clientId(), latest, change.after()).thenApply(done -> change.results());
        }
    }

    /** Removes the subscriptions of a session that is over, unless they are those of a newer one. */
    void end(Subscriber subscriber) {
        synchronized (lock(subscriber.clientId())) {
            SessionSubscriptions latest = latest(subscriber.clientId());
            if (latest.identity() <= subscriber.identity()) {
                save(subscriber.clientId(), latest, SessionSubscriptions.none(subscriber.identity()));
            }
        }
    }

    SessionSubscriptions get(Subscriber subscriber) {
        SessionSubscriptions known = applied.get(subscriber.clientId());
        return known == null || known.identity() != subscriber.identity()
                ? SessionSubscriptions.none(subscriber.identity())
                : known;
    }

    List<Subscriber> sessions() {
        return applied.entrySet().stream()
                .map(entry -> subscriber(entry.getKey(), entry.getValue()))
                .toList();
    }

    int sessionCount() {
        return applied.size();
    }

    /** Writes what changed; what is already there, or on its way, is not written again. */
    private CompletionStage<@Nullable Void> save(
            String clientId, SessionSubscriptions before, SessionSubscriptions after) {
        if (after.equals(before) || (after.isEmpty() && before.isEmpty())) {
            Write pending = writes.get(clientId);
            return pending == null ? CompletableFuture.completedStage(null) : pending.done;
        }
        CompletionStage<@Nullable Void> done =
                after.isEmpty() ? map.remove(clientId) : map.put(clientId, SubscriptionsCodec.encode(after));
        Write write = new Write(after, done);
        writes.put(clientId, write);
        return done.whenComplete((nothing, failure) -> {
            writes.remove(clientId, write);
            if (failure != null) {
                log.error("subscriptions of {} are not stored", clientId, failure);
            }
        });
    }

    /** What was written last, even if the map has not brought it back yet. */
    private SessionSubscriptions latest(String clientId) {
        Write write = writes.get(clientId);
        if (write != null) {
            return write.latest;
        }
        SessionSubscriptions known = applied.get(clientId);
        return known == null ? SessionSubscriptions.none(Long.MIN_VALUE) : known;
    }

    private void onChange(String clientId, byte @Nullable [] value) {
        try {
            apply(clientId, value == null ? null : SubscriptionsCodec.decode(value));
        } catch (UnreadableRecordException e) {
            log.error("subscriptions of {} cannot be read", clientId, e);
            unreadable = e;
        }
    }

    private void apply(String clientId, @Nullable SessionSubscriptions after) {
        SessionSubscriptions before = applied.get(clientId);
        if (before != null && after != null && after.identity() < before.identity()) {
            return;
        }
        boolean sameSession = before != null && after != null && after.identity() == before.identity();
        if (before != null && !sameSession) {
            index.update(subscriber(clientId, before), before.byFilter(), Map.of());
        }
        if (after == null) {
            applied.remove(clientId);
            return;
        }
        index.update(
                subscriber(clientId, after),
                before != null && sameSession ? before.byFilter() : Map.of(),
                after.byFilter());
        applied.put(clientId, after);
        watcher.accept(subscriber(clientId, after));
    }

    private static Subscriber subscriber(String clientId, SessionSubscriptions subscriptions) {
        return new Subscriber(clientId, true, subscriptions.identity());
    }

    private Object lock(String clientId) {
        return locks[Math.floorMod(clientId.hashCode(), LOCKS)];
    }

    /** The last write of a client that is on its way. */
    private static final class Write {
        final SessionSubscriptions latest;
        final CompletionStage<@Nullable Void> done;

        Write(SessionSubscriptions latest, CompletionStage<@Nullable Void> done) {
            this.latest = latest;
            this.done = done;
        }
    }
}
