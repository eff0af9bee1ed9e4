package io.tributary.broker.shard;

import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A replicated map of a simulation. Writes become durable after a while, in the order of their process, and every
 * process reads them in one order and at its own pace; a write is done when all living processes have read it. A crash
 * loses a tail of what was not durable, and all stages.
 */
final class SimMap {
    /** How long each change stays in the map, even if a later one replaces it. */
    private static final int COMPACTION_MILLIS = 10_000;

    private final SimClock clock;
    private final List<Write> log = new ArrayList<>();
    /** What is left of the changes before {@link #compacted}. */
    private final Map<String, byte[]> stored = new LinkedHashMap<>();

    private final List<View> views = new ArrayList<>();
    private int compacted;
    private int seen;

    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    private record Write(
            long atMillis, String key, byte @Nullable [] value, View writer, CompletableFuture<@Nullable Void> done) {}

    SimMap(SimClock clock) {
        this.clock = clock;
    }

    View view() {
        return new View();
    }

    private void append(Write write) {
        log.add(write);
        views.forEach(view -> view.reading.execute(view::readOne));
    }

    private void compact() {
        while (compacted < log.size() && log.get(compacted).atMillis < clock.nowMillis() - COMPACTION_MILLIS) {
            Write write = log.get(compacted++);
            if (write.value == null) {
                stored.remove(write.key);
            } else {
                stored.put(write.key, write.value);
            }
        }
    }

    private void tellWriters() {
        int seenByAll = views.stream().mapToInt(view -> view.position).min().orElse(log.size());
        while (seen < seenByAll) {
            Write write = log.get(seen++);
            write.writer.reading.execute(() -> write.done.complete(null));
        }
    }

    /** The map as one process sees it. */
    final class View implements ReplicatedMap {
        /** The thread that reads, which can be paused. */
        final SimThread reading = new SimThread(clock, clock.between(1, 10));

        private final Queue<Write> pending = new ArrayDeque<>();
        private @Nullable Follower follower;
        private int position;
        private boolean dead;

        @Override
        public CompletionStage<@Nullable Void> follow(Follower newFollower) {
            follower = newFollower;
            compact();
            stored.forEach(newFollower::onChange);
            log.subList(compacted, log.size()).forEach(write -> newFollower.onChange(write.key, write.value));
            position = log.size();
            views.add(this);
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<@Nullable Void> caughtUp() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<@Nullable Void> put(String key, byte[] value) {
            return write(key, value);
        }

        @Override
        public CompletionStage<@Nullable Void> remove(String key) {
            return write(key, null);
        }

        @Override
        public void close() {}

        private CompletionStage<@Nullable Void> write(String key, byte @Nullable [] value) {
            CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
            if (!dead) {
                pending.add(new Write(clock.nowMillis(), key, value, this, done));
                if (pending.size() == 1) {
                    makeDurableSoon();
                }
            }
            return done;
        }

        private void makeDurableSoon() {
            clock.after(clock.between(0, clock.chance(0.05) ? 300 : 8), () -> {
                if (!dead) {
                    append(pending.remove());
                }
                if (!dead && !pending.isEmpty()) {
                    makeDurableSoon();
                }
            });
        }

        private void readOne() {
            Write next = log.get(position++);
            if (follower != null) {
                follower.onChange(next.key, next.value);
            }
            tellWriters();
        }

        /** Whether nothing waits to become durable, or to be read. */
        boolean isIdle() {
            return pending.isEmpty() && position == log.size();
        }

        /** Dies: what is not durable is lost, but for some that the map has already. */
        void die() {
            dead = true;
            views.remove(this);
            reading.die();
            for (int left = clock.between(0, pending.size()); left > 0; left--) {
                append(pending.remove());
            }
            tellWriters();
        }
    }
}
