package io.tributary.cluster.redis;

import io.tributary.cluster.redis.RedisRecorder.Failure;
import io.tributary.cluster.redis.RedisRecorder.Operation;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Lets so many reads go to Redis at once, and has the others wait their turn: when a hundred thousand clients come back
 * together, their pages do not arrive together. A read that has waited too long, or finds too many waiting, fails. Any
 * thread may call; nothing blocks.
 */
final class ReadLimiter {
    private static final int MAX_WAITING = 100_000;

    private final int permits;
    private final long maxWaitNanos;
    private final RedisRecorder recorder;

    // Guarded by this.
    private final Queue<Waiting<?>> waiting = new ArrayDeque<>();
    private int running;
    private boolean draining;

    /**
     * Creates one.
     *
     * @param permits how many reads may be on their way
     * @param maxWaitNanos how long a read may wait until it begins
     * @param recorder told how many wait whenever that changes, and which fail here
     */
    ReadLimiter(int permits, long maxWaitNanos, RedisRecorder recorder) {
        this.permits = permits;
        this.maxWaitNanos = maxWaitNanos;
        this.recorder = recorder;
    }

    /** Does the read now or later. */
    <T> CompletionStage<T> pass(Supplier<CompletionStage<T>> read) {
        Waiting<T> entry = new Waiting<>(read, new CompletableFuture<>(), System.nanoTime() + maxWaitNanos);
        synchronized (this) {
            if (waiting.size() >= MAX_WAITING) {
                return refused();
            }
            waiting.add(entry);
        }
        drain();
        return entry.result;
    }

    private void finished() {
        synchronized (this) {
            running--;
        }
        drain();
    }

    /** Begins what may begin. One thread at a time does, in a loop: a read may be over before its turn ends. */
    private void drain() {
        while (true) {
            Waiting<?> next;
            int left;
            synchronized (this) {
                next = draining || running >= permits ? null : waiting.poll();
                if (next == null) {
                    return;
                }
                draining = true;
                running++;
                left = waiting.size();
            }
            recorder.onWaitingReads(left);
            begin(next);
            synchronized (this) {
                draining = false;
            }
        }
    }

    private <T> void begin(Waiting<T> next) {
        boolean tooLate = System.nanoTime() - next.deadlineNanos > 0;
        CompletionStage<T> stage = tooLate ? refused() : next.read.get();
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                next.result.complete(value);
            } else {
                next.result.completeExceptionally(failure);
            }
            finished();
        });
    }

    private <T> CompletionStage<T> refused() {
        recorder.onFailure(Operation.READ_QUEUE, Failure.OVERLOADED);
        return CompletableFuture.failedFuture(new RedisStoreException("too many reads wait for Redis already"));
    }

    /** A read that waits for its turn. */
    private record Waiting<T>(Supplier<CompletionStage<T>> read, CompletableFuture<T> result, long deadlineNanos) {}
}
