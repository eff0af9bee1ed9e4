package io.tributary.broker.subscription;

import io.tributary.broker.security.Permissions;
import io.tributary.broker.subscription.SessionSubscriptions.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of transient sessions of this node, in memory only; other nodes are told by {@link Routes}. Any
 * thread; changes of one session come one at a time, only its end may come at any time.
 */
final class TransientSubscriptions {
    /** About what the record of a route takes beside names. */
    private static final int RECORD_BYTES = 100;

    private final SubscriptionIndex index;
    private final Routes routes;
    private final WritePace pace;
    private final UnwrittenSubscriptions unwritten;
    private final ConcurrentMap<Subscriber, Session> sessions = new ConcurrentHashMap<>();

    /**
     * Creates them; there are none.
     *
     * @param pace is told what other nodes are told
     * @param unwritten is told what they could not be told
     */
    TransientSubscriptions(SubscriptionIndex index, Routes routes, WritePace pace, UnwrittenSubscriptions unwritten) {
        this.index = index;
        this.routes = routes;
        this.pace = pace;
        this.unwritten = unwritten;
    }

    /**
     * Makes the change that the function decides on. It matches on all live nodes when the stage completes. What other
     * nodes could not be told of is not made: the stage fails, and all is as it was.
     */
    <R> CompletionStage<List<R>> change(Subscriber subscriber, Function<SessionSubscriptions, Change<R>> decide) {
        Session session = sessions.computeIfAbsent(subscriber, Session::new);
        SessionSubscriptions before = session.current();
        Change<R> change = decide.apply(before);
        SessionSubscriptions after = change.after();
        CompletableFuture<@Nullable Void> told = tell(subscriber, before, after);
        return told.handle((_, failure) -> failure)
                .thenCompose(failure -> session.change(before, after, failure))
                .thenApply(_ -> change.results());
    }

    /** Withdraws what a client may not have as it is; as {@link #change}. */
    CompletionStage<List<Withdrawal>> withdraw(Subscriber subscriber, Permissions permissions) {
        return get(subscriber).areWithin(permissions)
                ? CompletableFuture.completedStage(List.of())
                : change(subscriber, session -> session.within(permissions));
    }

    /** Something else is known of a session's client than before. */
    void renewed(Subscriber subscriber) {
        Session session = sessions.get(subscriber);
        if (session != null) {
            session.renewed(subscriber);
        }
    }

    /** Removes all subscriptions of a session. */
    void end(Subscriber subscriber) {
        Session session = sessions.remove(subscriber);
        if (session != null) {
            session.end();
        }
    }

    /** One action for each session, which has what its client may have of its subscriptions decided again. */
    Stream<Runnable> looks() {
        return sessions.values().stream().map(session -> session::look);
    }

    SessionSubscriptions get(Subscriber subscriber) {
        Session session = sessions.get(subscriber);
        return session == null ? SessionSubscriptions.none(subscriber.identity()) : session.current();
    }

    int sessionCount() {
        return sessions.size();
    }

    /** Announces new subscriptions. Waits for all writes, so that none is on its way any more when one has failed. */
    private CompletableFuture<@Nullable Void> tell(
            Subscriber subscriber, SessionSubscriptions before, SessionSubscriptions after) {
        List<CompletableFuture<?>> parts = new ArrayList<>();
        for (SubscriptionRequest request : after.byFilter().values()) {
            SubscriptionRequest known = before.byFilter().get(request.filter());
            if (known == null) {
                count(subscriber, request);
                parts.add(routes.tell(subscriber, request));
            } else if (request.filter().isShared()) {
                if (!request.equals(known)) {
                    count(subscriber, request);
                }
                parts.add(routes.change(subscriber, request));
            }
        }
        return all(parts);
    }

    /** Retracts subscriptions that are in the first set and not in the second. */
    private CompletableFuture<@Nullable Void> retract(
            Subscriber subscriber, SessionSubscriptions from, SessionSubscriptions except) {
        List<CompletableFuture<?>> parts = new ArrayList<>();
        for (SubscriptionRequest request : from.byFilter().values()) {
            if (!except.byFilter().containsKey(request.filter())) {
                count(subscriber, request);
                parts.add(routes.retract(subscriber, request));
            }
        }
        return all(parts);
    }

    /** Counts a record, also where another session has the same, so that it is not written once more. */
    private void count(Subscriber subscriber, SubscriptionRequest request) {
        if (!routes.isNone()) {
            String member = request.filter().isShared() ? subscriber.clientId() : "";
            int bytes = request.filter().toString().length() + member.length() + RECORD_BYTES;
            pace.wrote(subscriber.clientId(), bytes);
        }
    }

    private static CompletableFuture<@Nullable Void> all(List<CompletableFuture<?>> parts) {
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .thenApply(_ -> null);
    }

    /** One session's subscriptions, as they match. */
    private final class Session {
        private Subscriber subscriber;
        private SessionSubscriptions current;
        private boolean over;

        Session(Subscriber subscriber) {
            this.subscriber = subscriber;
            current = SessionSubscriptions.none(subscriber.identity());
        }

        synchronized SessionSubscriptions current() {
            return current;
        }

        /** Other nodes were told of the change, or that has failed. */
        synchronized CompletionStage<@Nullable Void> change(
                SessionSubscriptions before, SessionSubscriptions after, @Nullable Throwable failure) {
            if (over) {
                // a session that has ended has retracted what was there before
                return retract(subscriber, after, before);
            }
            if (failure != null) {
                unwritten.failed(subscriber.clientId(), failure);
                takeBack(before, after);
                return CompletableFuture.failedStage(failure);
            }
            index.update(subscriber, before.byFilter(), after.byFilter());
            current = after;
            if (after.isEmpty()) {
                sessions.remove(subscriber, this);
            }
            return retract(subscriber, before, after);
        }

        synchronized void look() {
            index.look(subscriber, current.byFilter(), null);
        }

        synchronized void renewed(Subscriber same) {
            subscriber = same;
            look();
        }

        synchronized void end() {
            over = true;
            SessionSubscriptions before = current;
            current = SessionSubscriptions.none(before.identity());
            index.update(subscriber, before.byFilter(), current.byFilter());
            CompletableFuture<?> _ = retract(subscriber, before, current);
        }

        private void takeBack(SessionSubscriptions before, SessionSubscriptions after) {
            CompletableFuture<?> _ = retract(subscriber, after, before);
            for (SubscriptionRequest request : before.byFilter().values()) {
                if (request.filter().isShared()) {
                    CompletableFuture<?> _ = routes.change(subscriber, request);
                }
            }
            if (before.isEmpty()) {
                sessions.remove(subscriber, this);
            }
        }
    }
}
