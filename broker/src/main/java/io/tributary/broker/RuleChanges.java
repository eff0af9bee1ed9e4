package io.tributary.broker;

import io.tributary.broker.connection.ClientConnections;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.Revocations;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.broker.subscription.Withdrawal;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees when other rules hold, and has what clients may have of their subscriptions decided again. What the rules do not
 * allow any more is taken away: by its connection where a session has one, and else by the owner of its shard. A
 * millisecond at a time, so that other things come in between. Confined to its thread.
 *
 * <p>That begins a second after a change was seen: a rule set that is removed and made again at once takes nothing
 * away, unless other rules change just before. While revocations are held, persistent sessions lose nothing; all are
 * looked at again once they are held no longer.
 */
final class RuleChanges {
    private static final Logger LOG = LoggerFactory.getLogger(RuleChanges.class);
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Of how many sessions that are away something is taken in a second. */
    private static final int MOST_AWAY = 5_000;

    private final Authorizer authorizer;
    private final Subscriptions subscriptions;
    private final ClientConnections connections;
    private final Shards shards;
    private final BooleanSupplier isCurrent;
    private final Revocations revocations;
    private final Executor thread;
    private long seen;
    private long decided;
    private int released;
    private boolean isBusy;
    private Withdrawals withdrawals = new Withdrawals(Collections.emptyIterator());

    /**
     * Creates one, before there are subscriptions.
     *
     * @param isCurrent whether this node knows what the other nodes have acknowledged
     * @param thread runs what is given to it one after the other, on the thread of {@link #tick}
     */
    RuleChanges(
            Authorizer authorizer,
            Subscriptions subscriptions,
            ClientConnections connections,
            Shards shards,
            BooleanSupplier isCurrent,
            Revocations revocations,
            Executor thread) {
        this.authorizer = authorizer;
        this.subscriptions = subscriptions;
        this.connections = connections;
        this.shards = shards;
        this.isCurrent = isCurrent;
        this.revocations = revocations;
        this.thread = thread;
        seen = authorizer.version();
        decided = seen;
        released = revocations.released();
    }

    /** About once a second. */
    void tick() {
        long version = authorizer.version();
        if (isBusy) {
            LOG.debug("subscriptions are still being looked at");
        } else if (released != revocations.released()) {
            released = revocations.released();
            LOG.info("all nodes have the same rules: subscriptions are looked at again");
            look(version);
        } else if (decided == version) {
            isBusy = true;
            withdraw();
        } else if (seen == decided) {
            seen = version; // what is being subscribed by the rules before is there at the next tick
        } else {
            LOG.info("rules have changed: subscriptions are looked at again");
            look(version);
        }
    }

    private void look(long version) {
        isBusy = true;
        long upTo = seen; // rules that are newer are looked at once more: there may be more of them each second
        seen = version;
        proceed(
                connections.looks(), // there are fewer, and they may have to be told
                () -> proceed(subscriptions.looks(), () -> {
                    decided = upTo;
                    withdraw();
                }));
    }

    /** What is left, also of what an earlier look has found. */
    private void withdraw() {
        Runnable done = () -> isBusy = false;
        if (!revocations.areHeld()
                && isCurrent.getAsBoolean()) { // else what is removed may be newer than what is known here
            if (!withdrawals.hasMore()) {
                withdrawals = new Withdrawals(subscriptions.uncovered());
            }
            withdrawals.away = 0;
            proceed(withdrawals, done);
        } else {
            done.run();
        }
    }

    /** Does all steps, a slice at a time. */
    private void proceed(Iterator<Runnable> steps, Runnable then) {
        long begunNanos = System.nanoTime();
        try {
            while (steps.hasNext()) {
                if (System.nanoTime() - begunNanos > SLICE_NANOS) {
                    thread.execute(() -> proceed(steps, then));
                    return;
                }
                run(steps.next());
            }
        } catch (RejectedExecutionException _) {
            return; // the node stops
        } catch (RuntimeException failure) {
            LOG.error("subscriptions could not be looked at again, which is tried again", failure);
            isBusy = false;
            return;
        }
        then.run();
    }

    private static void run(Runnable step) {
        try {
            step.run();
        } catch (RejectedExecutionException stops) {
            throw stops;
        } catch (RuntimeException failure) { // an authorizer that fails about one client is asked about the others
            LOG.warn("what a client may have could not be looked at again", failure);
        }
    }

    /** A step for each session that has what it may not have, as far as this node is to take it. */
    private final class Withdrawals implements Iterator<Runnable> {
        private final Iterator<Subscriber> sessions;
        private int away;

        private Withdrawals(Iterator<Subscriber> sessions) {
            this.sessions = sessions;
        }

        @Override
        public boolean hasNext() {
            return away < MOST_AWAY && hasMore();
        }

        /** Whether some are left for the next time, so that those behind the limit have their turn. */
        private boolean hasMore() {
            return sessions.hasNext();
        }

        @Override
        public Runnable next() {
            Subscriber session = sessions.next();
            return () -> {
                if (!connections.review(session) && shards.owns(session.clientId())) {
                    away++;
                    shards.ifAway(session.clientId(), session.identity(), () -> withdrawAway(session));
                }
            };
        }
    }

    private void withdrawAway(Subscriber session) {
        if (revocations.areHeld() || !isCurrent.getAsBoolean()) {
            return; // it was not so when the session was found; tried again
        }
        subscriptions.withdrawAway(session).whenComplete((withdrawn, failure) -> {
            if (failure != null) {
                LOG.warn("subscriptions of {} were not withdrawn, which is tried again", session, failure);
            } else if (!withdrawn.isEmpty()) {
                boolean _ = Withdrawal.count(withdrawn, session, revocations);
                LOG.debug("{}: rules took {}", session, withdrawn);
            }
        });
    }
}
