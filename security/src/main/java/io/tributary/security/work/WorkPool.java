package io.tributary.security.work;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Threads for work that an event loop must not do, and a queue that does not grow for ever: beyond it, work is refused
 * at once. Thread-safe.
 */
public final class WorkPool implements AutoCloseable {
    private final ThreadPoolExecutor threads;

    private WorkPool(int parallel, int waiting, ThreadFactory factory) {
        threads = new ThreadPoolExecutor(
                parallel, parallel, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(waiting), factory);
        threads.allowCoreThreadTimeOut(true);
    }

    /** A pool for computing, with daemon threads of that name. */
    public static WorkPool computing(String name, int parallel, int waiting) {
        return new WorkPool(
                parallel,
                waiting,
                Thread.ofPlatform().name(name + "-", 0).daemon().factory());
    }

    /** A pool for work that mostly waits for others, on virtual threads of that name. */
    public static WorkPool waiting(String name, int parallel, int waiting) {
        return new WorkPool(
                parallel, waiting, Thread.ofVirtual().name(name + "-", 0).factory());
    }

    /**
     * Has a thread do the work.
     *
     * @return fails with a {@link RejectedExecutionException} when too much is waiting, or the pool is closed; else
     *     with what the work throws
     */
    public <T> CompletionStage<T> submit(Supplier<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            threads.execute(() -> {
                try {
                    result.complete(work.get());
                } catch (RuntimeException | Error failure) {
                    result.completeExceptionally(failure);
                }
            });
        } catch (RejectedExecutionException full) {
            result.completeExceptionally(full);
        }
        return result;
    }

    /** Whether nothing waits for a thread. */
    public boolean isIdle() {
        return threads.getQueue().isEmpty();
    }

    /** Ends the threads; what waits is never done. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
