package io.tributary.broker;

import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.relocation.Drain;
import io.tributary.broker.relocation.Host;
import io.tributary.broker.relocation.Rebalance;
import io.tributary.broker.security.store.Change;
import io.tributary.broker.security.store.SecurityStore;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Drain and rebalancing of a broker, on a thread of their own; they outlive its node. */
final class RelocationDuties implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RelocationDuties.class);

    /** Longer than a node takes that is being closed. */
    private static final int PATIENCE_SECONDS = 60;

    /** For the audit log, which may be out of reach; what is asked for is done all the same. */
    private static final int LONGEST_NOTE_SECONDS = 5;
    /** How many entries wait for a store that is closed; duties of the thread count, too. */
    private static final int MOST_WAITING = 100;

    private final SecurityStore security;
    private final ScheduledThreadPoolExecutor thread;
    private final Drain drain;
    private final Rebalance rebalance;

    /** @param name the name of the node */
    RelocationDuties(String name, Host host, SecurityStore security, BrokerMetrics metrics) {
        this.security = security;
        thread = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("tributary-relocation").daemon().factory());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread.setRemoveOnCancelPolicy(true);
        drain = new Drain(name, host, this::note, thread, System::nanoTime, metrics.relocation());
        rebalance = new Rebalance(host, this::note, thread, () -> drain.status().isDraining(), metrics.relocation());
        metrics.gauge(BrokerMeters.DRAIN_PHASE, () -> drain.status().phase().number());
        metrics.gauge(BrokerMeters.REBALANCING, () -> rebalance.status().running() ? 1 : 0);
    }

    void start() {
        rebalance.start();
    }

    Drain drain() {
        return drain;
    }

    Rebalance rebalance() {
        return rebalance;
    }

    /** {@link io.tributary.broker.relocation.Journal}. */
    CompletionStage<?> note(@Nullable String by, String from, String action, Map<String, String> details) {
        if (security.isOpen()) {
            String who = by == null ? Change.BROKER : by;
            return security.note(who, from, action, details)
                    .toCompletableFuture()
                    .<@Nullable Void>thenApply(_ -> null)
                    .orTimeout(LONGEST_NOTE_SECONDS, TimeUnit.SECONDS)
                    .exceptionally(failure -> {
                        LOG.warn("the audit log may not have {} by {}", action, who, failure);
                        return null;
                    });
        }
        noteLater(by, from, action, details);
        return CompletableFuture.completedStage(null);
    }

    private void noteLater(@Nullable String by, String from, String action, Map<String, String> details) {
        if (thread.isShutdown() || thread.getQueue().size() >= MOST_WAITING) {
            LOG.warn("the audit log does not have {} by {}: the store is closed", action, by);
        } else {
            ScheduledFuture<?> _ = thread.schedule(() -> note(by, from, action, details), 1, TimeUnit.SECONDS);
        }
    }

    /** Waits for a node that is being released. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("a drain is not over");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
