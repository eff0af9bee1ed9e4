package io.tributary.cluster.redis;

import io.tributary.cluster.redis.RedisRecorder.Failure;
import io.tributary.cluster.redis.RedisRecorder.Operation;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets so many reads go to Redis at once, and has the others wait their turn: when a hundred thousand clients come back
 * together, their pages do not arrive together. A read that has waited too long, or finds too many waiting, fails. Any
 * thread may call; nothing blocks.
 *
 * <p>Shards take turns, and no shard has more reads on their way, or waiting, than are left over for the others: their
 * servers may answer while that of the shard is silent. A shard whose read has failed has one at a time on its way,
 * until one succeeds, and all such shards together have half of the reads at most.
 */
final class ReadLimiter {
    private static final int MAX_WAITING = 100_000;

    private final int permits;
    private final long maxWaitNanos;
    private final RedisRecorder recorder;

    // Guarded by this.
    private final Map<Integer, ShardReads> shards = new HashMap<>();
    /** Those that have reads waiting, the one whose turn is next first. */
    private final Set<ShardReads> turns = new LinkedHashSet<>();

    private int waiting;
    private int running;
    /** How many of these are of shards whose reads fail. */
    private int ofFailing;

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

    /** Does the read of a shard now or later; fails with a {@link RejectedExecutionException} when too many wait. */
    <T> CompletionStage<T> pass(int shard, Supplier<CompletionStage<T>> read) {
        Waiting<T> entry = new Waiting<>(read, new CompletableFuture<>(), System.nanoTime() + maxWaitNanos);
        synchronized (this) {
            ShardReads reads = shards.computeIfAbsent(shard, _ -> new ShardReads());
            if (reads.waiting.size() >= MAX_WAITING - waiting) {
                return refused();
            }
            reads.waiting.add(entry);
            waiting++;
            turns.add(reads);
        }
        drain();
        return entry.result;
    }

    private synchronized void answered(ShardReads shard, boolean hasFailed) {
        if (shard.isFailing != hasFailed) {
            shard.isFailing = hasFailed;
            ofFailing += hasFailed ? shard.running : -shard.running;
        }
    }

    private void finished(ShardReads shard) {
        synchronized (this) {
            count(shard, -1);
        }
        drain();
    }

    private void count(ShardReads shard, int more) {
        running += more;
        shard.running += more;
        ofFailing += shard.isFailing ? more : 0;
    }

    /** Begins what may begin. One thread at a time does, in a loop: a read may be over before its turn ends. */
    private void drain() {
        while (true) {
            ShardReads shard;
            Waiting<?> next;
            int left;
            synchronized (this) {
                shard = draining || running >= permits ? null : takeTurn();
                if (shard == null) {
                    return;
                }
                draining = true;
                count(shard, 1);
                next = shard.waiting.remove();
                left = --waiting;
                if (!shard.waiting.isEmpty()) {
                    turns.add(shard);
                }
            }
            recorder.onWaitingReads(left);
            begin(shard, next);
            synchronized (this) {
                draining = false;
            }
        }
    }

    /** The next shard that may have another read on its way, which waits for no turn any more; null if none may. */
    private @Nullable ShardReads takeTurn() {
        for (Iterator<ShardReads> all = turns.iterator(); all.hasNext(); ) {
            ShardReads shard = all.next();
            if (shard.isFailing ? mayTryAgain(shard) : shard.running < permits - running) {
                all.remove();
                return shard;
            }
        }
        return null;
    }

    private boolean mayTryAgain(ShardReads failing) {
        return failing.running == 0 && ofFailing < Math.max(1, permits / 2);
    }

    private <T> void begin(ShardReads shard, Waiting<T> next) {
        boolean tooLate = System.nanoTime() - next.deadlineNanos > 0;
        CompletionStage<T> stage = tooLate ? refused() : begun(next.read);
        stage.whenComplete((value, failure) -> {
            if (!tooLate) {
                answered(shard, failure != null);
            }
            if (failure == null) {
                next.result.complete(value);
            } else {
                next.result.completeExceptionally(failure);
            }
            finished(shard);
        });
    }

    /** One that fails at once fails as others do: its turn has to end. */
    private static <T> CompletionStage<T> begun(Supplier<CompletionStage<T>> read) {
        try {
            return read.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private <T> CompletionStage<T> refused() {
        recorder.onFailure(Operation.READ_QUEUE, Failure.OVERLOADED);
        return CompletableFuture.failedFuture(new RejectedExecutionException("too many reads wait for Redis already"));
    }

    /** The reads of a shard. */
    private static final class ShardReads {
        // Guarded by the limiter.
        private final Queue<Waiting<?>> waiting = new ArrayDeque<>();
        private int running;

        /** Whether the last read that Redis was asked for, and that is over, has failed. */
        private boolean isFailing;
    }

    /** A read that waits for its turn. */
    private record Waiting<T>(Supplier<CompletionStage<T>> read, CompletableFuture<T> result, long deadlineNanos) {}
}
