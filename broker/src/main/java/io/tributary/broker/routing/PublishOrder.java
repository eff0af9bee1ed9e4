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

    private final ConcurrentMap<String, WaitingMessages> waiting = new ConcurrentHashMap<>();

    /**
     * Whether a message need not wait for one before it.
     *
     * @param key the publisher, or the log, that the messages are of
     */
    boolean isFree(String key) {
        return waiting.isEmpty() || !waiting.containsKey(key);
    }

    /** How many messages of the key wait. */
    int waiting(String key) {
        WaitingMessages messages = waiting.get(key);
        return messages == null ? 0 : messages.size();
    }

    /**
     * Runs the action when the stage is complete and all earlier actions of the key have run: at once, or on the
     * thread that completes the last of the stages.
     */
    void whenDone(String key, CompletionStage<?> stage, Runnable action) {
        Step step = new Step(stage.toCompletableFuture(), action);
        WaitingMessages messages = waiting.computeIfAbsent(key, WaitingMessages::new);
        while (!messages.add(step)) {
            waiting.remove(key, messages);
            messages = waiting.computeIfAbsent(key, WaitingMessages::new);
        }
        WaitingMessages entered = messages;
        stage.whenComplete((result, failure) -> run(entered));
    }

    private void run(WaitingMessages messages) {
        for (Step step = messages.begin(); step != null; step = messages.begin()) {
            try {
                step.action.run();
            } catch (RuntimeException | Error e) {
                LOG.error(
                        "a message of {} could not be routed",
                        TenantNames.display(messages.key),
                        e); // those behind it still are
            } finally {
                messages.end();
            }
        }
        if (messages.isClosed()) {
            waiting.remove(messages.key, messages);
        }
    }

    private record Step(CompletableFuture<?> stage, Runnable action) {}

    /** Those of one key. Closed when it is empty; another one is opened then. */
    private static final class WaitingMessages {
        final String key;
        private final Deque<Step> steps = new ArrayDeque<>();
        private boolean running;
        private boolean closed;

        WaitingMessages(String key) {
            this.key = key;
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
