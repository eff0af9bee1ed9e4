package io.tributary.broker;

import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.relocation.Drain;
import io.tributary.broker.relocation.Host;
import io.tributary.broker.relocation.Rebalance;
import io.tributary.broker.relocation.ServingNode;
import io.tributary.broker.security.store.SecurityStore;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Drain and rebalancing of a broker, on a thread of their own; they outlive its node. */
final class RelocationDuties implements Host, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RelocationDuties.class);

    /** Longer than a node takes that is being closed. */
    private static final int PATIENCE_SECONDS = 60;

    private final Lifecycle lifecycle;
    private final SecurityStore security;
    private final ScheduledThreadPoolExecutor thread;
    private final Drain drain;
    private final Rebalance rebalance;

    /** What the broker is asked for. */
    interface Lifecycle {
        /** The node that serves clients, null while none does. */
        @Nullable
        ServingNode node();

        /** Ends it; blocks until done. */
        void release();

        /** Begins anew after that. */
        void resume();
    }

    /** @param name the name of the node */
    RelocationDuties(String name, Lifecycle lifecycle, SecurityStore security, BrokerMetrics metrics) {
        this.lifecycle = lifecycle;
        this.security = security;
        thread = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("tributary-relocation").daemon().factory());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread.setRemoveOnCancelPolicy(true);
        drain = new Drain(name, this, thread, System::nanoTime, metrics.relocation());
        rebalance = new Rebalance(this, thread, () -> drain.status().isDraining(), metrics.relocation());
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

    @Override
    public @Nullable ServingNode node() {
        return lifecycle.node();
    }

    @Override
    public void release() {
        lifecycle.release();
    }

    @Override
    public void resume() {
        lifecycle.resume();
    }

    @Override
    public void note(String by, String from, String action, Map<String, String> details) {
        if (security.isOpen()) {
            security.note(by, from, action, details).whenComplete((_, failure) -> {
                if (failure != null) {
                    LOG.warn("the audit log was not told of {} by {}", action, by, failure);
                }
            });
        } else if (!thread.isShutdown()) {
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
