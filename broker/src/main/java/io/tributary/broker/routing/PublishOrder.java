package io.tributary.broker.routing;

import io.tributary.common.event.TenantNames;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the messages of each publisher, or of each log that others come from, in order when retained ones among them
 * have to wait until they are stored: what comes behind such a message waits, too. Stores are under way together; only
 * what follows them is in order. Any thread.
 */
final class PublishOrder {
    private static final Logger LOG = LoggerFactory.getLogger(PublishOrder.class);

    private final ConcurrentMap<String, Lane> lanes = new ConcurrentHashMap<>();

    /** Whether a message of the publisher need not wait for one before it. */
    boolean isFree(String publisher) {
        return lanes.isEmpty() || !lanes.containsKey(publisher);
    }

    /** How many messages of a publisher wait. */
    int waiting(String publisher) {
        Lane lane = lanes.get(publisher);
        return lane == null ? 0 : lane.size();
    }

    /**
     * Runs the action when the stage is complete and all earlier actions of the publisher have run: at once, or on the
     * thread that completes the last of the stages.
     */
    void whenDone(String publisher, CompletionStage<?> stage, Runnable action) {
        Step step = new Step(stage.toCompletableFuture(), action);
        Lane lane = lanes.computeIfAbsent(publisher, Lane::new);
        while (!lane.add(step)) {
            lanes.remove(publisher, lane);
            lane = lanes.computeIfAbsent(publisher, Lane::new);
        }
        Lane entered = lane;
        stage.whenComplete((result, failure) -> run(entered));
    }

    private void run(Lane lane) {
        for (Step step = lane.begin(); step != null; step = lane.begin()) {
            try {
                step.action.run();
            } catch (RuntimeException | Error e) {
                LOG.error(
                        "a message of {} could not be routed",
                        TenantNames.display(lane.publisher),
                        e); // those behind it still are
            } finally {
                lane.end();
            }
        }
        if (lane.isClosed()) {
            lanes.remove(lane.publisher, lane);
        }
    }

    private record Step(CompletableFuture<?> stage, Runnable action) {}

    /** The waiting messages of one publisher. Closed when it is empty; another one is opened then. */
    private static final class Lane {
        final String publisher;
        private final Deque<Step> steps = new ArrayDeque<>();
        private boolean running;
        private boolean closed;

        Lane(String publisher) {
            this.publisher = publisher;
        }

        synchronized boolean add(Step step) {
            if (!closed) {
                steps.add(step);
            }
            return !closed;
        }

        /** The next step to run, unless it has to wait or another thread is running one. */
        synchronized @Nullable Step begin() {
            Step next = steps.peek();
            if (running || next == null || !next.stage.isDone()) {
                return null;
            }
            running = true;
            return steps.remove();
        }

        synchronized void end() {
            running = false;
            closed = steps.isEmpty();
        }

        synchronized boolean isClosed() {
            return closed;
        }

        synchronized int size() {
            return steps.size();
        }
    }
}
