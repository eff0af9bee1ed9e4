package io.tributary.broker;

import io.tributary.broker.security.Authorizer;
import io.tributary.broker.subscription.Subscriptions;
import java.util.Iterator;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees when other rules hold, and has what clients may have of their subscriptions decided again; a millisecond at a
 * time, so that nothing else of the thread has to wait. Confined to that thread.
 */
final class RuleChanges {
    private static final Logger LOG = LoggerFactory.getLogger(RuleChanges.class);
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Authorizer authorizer;
    private final Subscriptions subscriptions;
    private final Executor thread;
    private long seen;
    private long decided;
    private boolean deciding;

    /** Creates one, before there are subscriptions. */
    RuleChanges(Authorizer authorizer, Subscriptions subscriptions, Executor thread) {
        this.authorizer = authorizer;
        this.subscriptions = subscriptions;
        this.thread = thread;
        seen = authorizer.version();
        decided = seen;
    }

    /** About once a second. */
    void tick() {
        long version = authorizer.version();
        if (version != seen) {
            seen = version; // what is being subscribed by the rules before is there at the next tick
        } else if (decided != version && !deciding) {
            deciding = true;
            LOG.info("rules have changed: subscriptions are looked at again");
            decide(version, subscriptions.looks());
        }
    }

    private void decide(long version, Iterator<Runnable> looks) {
        long begunNanos = System.nanoTime();
        try {
            while (looks.hasNext()) {
                if (System.nanoTime() - begunNanos > SLICE_NANOS) {
                    thread.execute(() -> decide(version, looks));
                    return;
                }
                looks.next().run();
            }
            decided = version;
        } catch (RejectedExecutionException _) {
            return; // the node stops
        } catch (RuntimeException failure) {
            LOG.error("subscriptions could not be looked at again, which is tried again", failure);
        }
        deciding = false;
    }
}
