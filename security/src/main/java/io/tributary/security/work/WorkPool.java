package io.tributary.security.work;

import io.tributary.broker.security.Asker;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads for work that an event loop must not do, and a queue that does not grow for ever: beyond it, work is refused
 * at once. Addresses of clients take turns, and where there is no room the work is refused whose turn would be last: a
 * flood from one address is in its own way, and in nobody else's. Thread-safe.
 */
public final class WorkPool implements AutoCloseable {
    private final ThreadPoolExecutor threads;
    private final int most;

    // Guarded by this.
    private final TreeSet<Work> waiting =
            new TreeSet<>(Comparator.comparingLong(Work::turn).thenComparingLong(Work::number));
    private final Map<String, Line> lines = new HashMap<>();
    private long currentTurn;
    private long nextNumber;
    private int running;

    /**
     * Something to do.
     *
     * @param asker the client that wants it; null for none
     * @param turn each address has one work in a turn; 0, before all turns, without a client
     * @param task does it
     * @param refuse says that it is not done
     */
    private record Work(
            @Nullable Asker asker, long turn, long number, Runnable task, Consumer<RejectedExecutionException> refuse) {

        boolean isWanted() {
            return asker == null || asker.isWaiting().getAsBoolean();
        }
    }

    /** What waits of one address. */
    private static final class Line {
        private int length;
        private long lastTurn;
    }

    private WorkPool(int parallel, int waiting, ThreadFactory factory) {
        most = parallel + waiting;
        threads =
                new ThreadPoolExecutor(parallel, parallel, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
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
     * Has a thread do the work, before that for clients.
     *
     * @return fails with a {@link RejectedExecutionException} when too much is waiting, or the pool is closed; else
     *     with what the work throws
     */
    public <T> CompletionStage<T> submit(Supplier<T> work) {
        return submitFor(null, work);
    }

    /**
     * Has a thread do the work when it is the turn of the client's address.
     *
     * @return fails with a {@link RejectedExecutionException} when too much is waiting, the client is gone by then, or
     *     the pool is closed; else with what the work throws
     */
    public <T> CompletionStage<T> submit(Asker asker, Supplier<T> work) {
        return submitFor(asker, work);
    }

    private <T> CompletionStage<T> submitFor(@Nullable Asker asker, Supplier<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable task = () -> {
            try {
                result.complete(work.get());
            } catch (RuntimeException | Error failure) {
                result.completeExceptionally(failure);
            }
        };
        Work refused = add(asker, task, result::completeExceptionally);
        if (refused != null) {
            refused.refuse().accept(new RejectedExecutionException("too much is waiting"));
        }
        return result;
    }

    /** Whether nothing waits for a thread. */
    public synchronized boolean isIdle() {
        return waiting.isEmpty();
    }

    /** Ends the threads; what waits is never done. */
    @Override
    public synchronized void close() {
        threads.shutdownNow();
    }

    /** Gives the work that there is no room for, if there is one. */
    private synchronized @Nullable Work add(
            @Nullable Asker asker, Runnable task, Consumer<RejectedExecutionException> refuse) {
        Work work = new Work(asker, turnOf(asker), nextNumber++, task, refuse);
        boolean isFull = running + waiting.size() >= most;
        if (threads.isShutdown()
                || (isFull && (waiting.isEmpty() || waiting.last().turn() <= work.turn()))) {
            return work;
        }
        waiting.add(work);
        if (asker != null) {
            Line line = lines.computeIfAbsent(asker.address(), _ -> new Line());
            line.length++;
            line.lastTurn = work.turn();
        }
        if (!isFull) {
            threads.execute(this::doNext);
            return null;
        }
        Work last = Objects.requireNonNull(waiting.pollLast());
        Line line = leave(last);
        if (line != null) {
            line.lastTurn = last.turn() - 1;
        }
        return last;
    }

    private long turnOf(@Nullable Asker asker) {
        if (asker == null) {
            return 0;
        }
        Line line = lines.get(asker.address());
        return Math.max(currentTurn, line == null ? 0 : line.lastTurn) + 1;
    }

    /** There is one for each that the threads were given. */
    private void doNext() {
        Work work = begin();
        try {
            if (work.isWanted()) {
                work.task().run();
            } else {
                work.refuse().accept(new RejectedExecutionException("the client is gone"));
            }
        } finally {
            end();
        }
    }

    private synchronized Work begin() {
        running++;
        Work first = Objects.requireNonNull(waiting.pollFirst());
        currentTurn = Math.max(currentTurn, first.turn());
        Line _ = leave(first);
        return first;
    }

    /** Gives the line that it was in, unless nothing is left of that. */
    private @Nullable Line leave(Work work) {
        return work.asker() == null
                ? null
                : lines.computeIfPresent(work.asker().address(), (_, line) -> --line.length == 0 ? null : line);
    }

    private synchronized void end() {
        running--;
    }
}
