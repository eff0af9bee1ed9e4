package io.tributary.broker;

import io.tributary.broker.security.Revocations;
import io.tributary.broker.security.store.SecurityStore;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows each second from changes of users, rules and bans: rule sets are compiled, clients are sent away,
 * subscriptions are taken, and the audit log is told of it. On a thread of its own, for that may take seconds where
 * there are a million clients, or hundreds of large rule sets.
 */
final class SecurityDuties implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SecurityDuties.class);

    /** For how long what is taken is collected for one entry of the audit log, where more is taken each second. */
    private static final int MOST_TICKS = 60;

    private static final int PATIENCE_SECONDS = 5;

    private final String node;
    private final SecurityStore security;
    private final Expulsions expulsions;
    private final Revocations revocations;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("tributary-security").daemon().factory());

    // On the thread.
    private Revocations.Taken seen;
    private int ticks;

    /** @param node the name of the node */
    SecurityDuties(String node, SecurityStore security, Expulsions expulsions, Revocations revocations) {
        this.node = node;
        this.security = security;
        this.expulsions = expulsions;
        this.revocations = revocations;
        seen = revocations.taken();
    }

    /** The thread, for changes of rules. */
    ScheduledExecutorService thread() {
        return thread;
    }

    /** Begins, once the store is open. */
    void start(RuleChanges ruleChanges) {
        ScheduledFuture<?> _ = thread.scheduleWithFixedDelay(() -> tick(ruleChanges), 0, 1, TimeUnit.SECONDS);
    }

    private void tick(RuleChanges ruleChanges) {
        try {
            security.tick();
            ruleChanges.tick();
            expulsions.tick();
            note();
        } catch (RuntimeException | Error e) {
            LOG.error("what follows from changes of users, rules and bans failed; this is a defect", e);
        }
    }

    /** An entry for what was taken, when nothing more is. */
    private void note() {
        Revocations.Taken now = revocations.taken();
        if (!now.isNothing() && (now.equals(seen) || ++ticks >= MOST_TICKS)) {
            ticks = 0;
            noteNow();
        }
        seen = revocations.taken();
    }

    private void noteNow() {
        Revocations.Taken taken = revocations.take();
        security.note(node, taken).whenComplete((_, failure) -> {
            if (failure != null) {
                LOG.warn("the audit log was not told what was taken from clients: {}", taken, failure);
            }
        });
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            boolean _ = thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!revocations.taken().isNothing()) {
            noteNow();
        }
    }
}
