package io.tributary.broker.subscription;

import io.tributary.broker.subscription.SessionSubscriptions.Change;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/** The subscriptions of transient sessions, in memory only. Any thread; changes of one session come one at a time. */
final class TransientSubscriptions {
    private final SubscriptionIndex index;
    private final ConcurrentMap<Subscriber, SessionSubscriptions> sessions = new ConcurrentHashMap<>();

    TransientSubscriptions(SubscriptionIndex index) {
        this.index = index;
    }

    /** Makes the change that the function decides on. It matches when this returns. */
    <R> List<R> change(Subscriber subscriber, Function<SessionSubscriptions, Change<R>> decide) {
        SessionSubscriptions before = get(subscriber);
        Change<R> change = decide.apply(before);
        index.update(subscriber, before.byFilter(), change.after().byFilter());
        if (change.after().isEmpty()) {
            sessions.remove(subscriber);
        } else {
            sessions.put(subscriber, change.after());
        }
        return change.results();
    }

    /** Removes all subscriptions of a session. */
    void end(Subscriber subscriber) {
        SessionSubscriptions before = sessions.remove(subscriber);
        if (before != null) {
            index.update(
                    subscriber,
                    before.byFilter(),
                    SessionSubscriptions.none(before.identity()).byFilter());
        }
    }

    SessionSubscriptions get(Subscriber subscriber) {
        SessionSubscriptions known = sessions.get(subscriber);
        return known == null ? SessionSubscriptions.none(subscriber.identity()) : known;
    }

    int sessionCount() {
        return sessions.size();
    }
}
