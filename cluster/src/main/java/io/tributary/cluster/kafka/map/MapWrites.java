package io.tributary.cluster.kafka.map;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.persistence.limit.ByteBudget;
import io.tributary.persistence.replicated.Visibility;
import io.tributary.persistence.shard.AppendCallback;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writes of a map that are not complete: first on their way to Kafka, then waiting for this node's follower, then
 * for those of the others. Safe for all threads. Others are asked once for all writes that a batch brought along.
 */
final class MapWrites {
    private static final Logger LOG = LoggerFactory.getLogger(MapWrites.class);
    private static final long RETRY_MILLIS = 1000;

    private final String map;
    private final Visibility visibility;
    private final ByteBudget own;
    private final ByteBudget shared;
    private final Supplier<CompletionStage<Long>> end;
    private final Executor later = CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS);
    private final Set<Write> incomplete = ConcurrentHashMap.newKeySet();

    // Guarded by this.
    /** By offset: one that Kafka has lost, and that no follower will see, holds up none that come in its place. */
    private final PriorityQueue<Write> durable = new PriorityQueue<>(Comparator.comparingLong(write -> write.offset));

    /** What this node's follower has seen ends here. Without one nothing waits for it. */
    private long position = Long.MAX_VALUE;

    /**
     * Creates those of one map.
     *
     * @param own what this map may have under way
     * @param shared what it and others may together
     * @param end asks Kafka where the map ends
     */
    MapWrites(
            String map, Visibility visibility, ByteBudget own, ByteBudget shared, Supplier<CompletionStage<Long>> end) {
        this.map = map;
        this.visibility = visibility;
        this.own = own;
        this.shared = shared;
        this.end = end;
    }

    /** A follower begins at the beginning. */
    synchronized void following() {
        position = 0;
    }

    /** This node's follower has seen what is below the position. */
    void reached(long newPosition) {
        synchronized (this) {
            position = newPosition;
        }
        proceed();
    }

    /** A write that is to be sent, its own callback; null when there is no room for so many bytes. */
    @Nullable
    Write begin(int bytes) {
        if (!own.tryAcquire(bytes)) {
            return null;
        }
        if (!shared.tryAcquire(bytes)) {
            own.release(bytes);
            return null;
        }
        Write write = new Write(bytes);
        incomplete.add(write);
        return write;
    }

    /** Waits for all writes; those that are not complete in time fail. */
    void close(Duration timeout) {
        CompletableFuture<?>[] all =
                incomplete.stream().map(write -> write.done).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(all).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            failAll(wasClosed(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failAll(wasClosed(e));
        }
    }

    private KafkaAccessException wasClosed(Exception reason) {
        return new KafkaAccessException("map " + map + " was closed before the write was seen", reason);
    }

    /** Fails the writes that are not complete, though they may be durable. */
    void failAll(KafkaAccessException failure) {
        incomplete.forEach(write -> write.fail(failure));
    }

    /** Goes on with the writes that are durable and that this node's follower has seen. */
    private void proceed() {
        List<Write> seen = new ArrayList<>();
        long upTo = 0;
        synchronized (this) {
            while (!durable.isEmpty() && durable.peek().offset < position) {
                Write write = durable.remove();
                seen.add(write);
                upTo = Math.max(upTo, write.offset + 1);
            }
        }
        if (!seen.isEmpty()) {
            visibility.everywhere(map, upTo).whenComplete((nothing, failure) -> {
                for (Write write : seen) {
                    write.complete(failure);
                }
            });
        }
    }

    /**
     * One write; told by the queue, in the order of offsets, that it is durable. Where Kafka does not know its offset,
     * for it was sent twice, the last one of the map stands for it.
     */
    final class Write implements AppendCallback {
        private final int bytes;
        private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        private long offset;

        private Write(int bytes) {
            this.bytes = bytes;
        }

        CompletionStage<@Nullable Void> done() {
            return done;
        }

        @Override
        public void onAppended(long newOffset, @Nullable Throwable failure) {
            if (failure != null) {
                fail(failure);
            } else if (newOffset < 0) {
                askForEnd();
            } else {
                isAt(newOffset);
            }
        }

        private void askForEnd() {
            end.get().whenComplete((found, failure) -> {
                if (failure == null) {
                    isAt(found - 1);
                } else if (incomplete.contains(this)) {
                    LOG.warn("Kafka does not tell where map {} ends; asking again", map, failure);
                    later.execute(this::askForEnd);
                }
            });
        }

        private void isAt(long newOffset) {
            offset = newOffset;
            synchronized (MapWrites.this) {
                durable.add(this);
            }
            proceed();
        }

        void fail(Throwable failure) {
            complete(failure);
        }

        private void complete(@Nullable Throwable failure) {
            if (!incomplete.remove(this)) {
                return;
            }
            shared.release(bytes);
            own.release(bytes);
            if (failure == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(failure);
            }
        }
    }
}
