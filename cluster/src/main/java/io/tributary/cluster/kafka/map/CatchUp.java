package io.tributary.cluster.kafka.map;

import io.tributary.cluster.kafka.KafkaAccessException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells when a follower has seen everything that was in its map at the time of a call. Calls share rounds: a round
 * learns the end of the map after all its calls were made, and is done when the follower is there. One round asks at a
 * time, and few wait, so neither calls nor a slow follower cost more than a little. Safe for all threads.
 */
final class CatchUp {
    private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);
    private static final int MAX_WAITING = 16;
    private static final long RETRY_MILLIS = 1000;

    private final Supplier<CompletionStage<Long>> end;
    private final Executor later = CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS);

    // Guarded by this.
    private final List<Round> waiting = new ArrayList<>();
    private @Nullable Round asking;
    private @Nullable Round next;
    private long position;
    private long knownEnd;
    private boolean closed;

    CatchUp(Supplier<CompletionStage<Long>> end) {
        this.end = end;
    }

    CompletionStage<@Nullable Void> caughtUp() {
        Round joined;
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedStage(new KafkaAccessException("the map is closed"));
            }
            if (next == null) {
                next = new Round();
            }
            joined = next;
        }
        askIfIdle();
        return joined.done.minimalCompletionStage();
    }

    /** The follower has seen what is below the position. */
    void reached(long newPosition) {
        synchronized (this) {
            position = newPosition;
        }
        completeReached();
    }

    synchronized long knownEnd() {
        return knownEnd;
    }

    /** Fails the calls that wait, and further ones. */
    void close(KafkaAccessException failure) {
        List<Round> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(waiting);
            waiting.clear();
            if (asking != null) {
                left.add(asking);
            }
            if (next != null) {
                left.add(next);
            }
        }
        left.forEach(round -> round.done.completeExceptionally(failure));
    }

    private void askIfIdle() {
        Round round;
        synchronized (this) {
            if (closed || asking != null || next == null || waiting.size() >= MAX_WAITING) {
                return;
            }
            round = next;
            asking = round;
            next = null;
        }
        ask(round);
    }

    private void ask(Round round) {
        end.get().whenComplete((offset, failure) -> {
            if (failure == null) {
                answered(round, offset);
            } else if (!isClosed()) {
                LOG.warn("Kafka does not tell where a map ends; asking again", failure);
                later.execute(() -> ask(round));
            }
        });
    }

    private void answered(Round round, long offset) {
        synchronized (this) {
            asking = null;
            knownEnd = offset;
            round.target = offset;
            if (!closed) {
                waiting.add(round);
            }
        }
        completeReached();
    }

    private void completeReached() {
        List<Round> reached = new ArrayList<>();
        synchronized (this) {
            waiting.removeIf(round -> round.target <= position && reached.add(round));
        }
        reached.forEach(round -> round.done.complete(null));
        askIfIdle();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** The calls that share an end. */
    private static final class Round {
        private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        private long target;
    }
}
