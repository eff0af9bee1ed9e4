package io.tributary.cluster.node;

import io.tributary.persistence.replicated.ReplicatedMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The topic of a replicated map in memory, that several simulated nodes share. A write is durable after a millisecond,
 * and a follower sees it a millisecond later; the stage of a write completes when its own node's follower has seen it.
 */
final class SharedLog {
    private static final long HOP_NANOS = Duration.ofMillis(1).toNanos();

    private final ClusterTimer timer;
    private final List<Entry> entries = new ArrayList<>();
    private final List<View> views = new ArrayList<>();
    private final Set<SimNode> nodes = new LinkedHashSet<>();

    /** One record. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Entry(String key, byte @Nullable [] value) {}

    SharedLog(ClusterTimer timer) {
        this.timer = timer;
    }

    /** The nodes that share it, as each takes part in it. */
    Set<SimNode> nodes() {
        return nodes;
    }

    View view() {
        View view = new View();
        views.add(view);
        return view;
    }

    /** Appends a record as some node would. */
    int append(String key, byte @Nullable [] value) {
        entries.add(new Entry(key, value));
        views.forEach(view -> timer.after(HOP_NANOS, view::read));
        return entries.size();
    }

    /** What is in the map when all of it is read. */
    Map<String, byte[]> latest() {
        Map<String, byte[]> latest = new HashMap<>();
        entries.forEach(entry -> latest.compute(entry.key, (_, _) -> entry.value));
        return latest;
    }

    List<NodeRecord> recordsOf(String key) {
        return entries.stream()
                .filter(entry -> entry.key.equals(key))
                .map(Entry::value)
                .filter(value -> value != null)
                .map(NodeRecordCodec::decode)
                .toList();
    }

    /** The map as one node sees it. */
    final class View implements ReplicatedMap {
        private final List<Pending> pending = new ArrayList<>();
        private final List<Runnable> unsent = new ArrayList<>();
        private @Nullable Follower follower;
        private @Nullable RuntimeException failure;
        private int position;
        private boolean cutOff;
        private boolean deaf;
        private boolean loses;

        private record Pending(int position, CompletableFuture<@Nullable Void> done) {}

        /** Holds back what is written and what is read, until {@link #reconnect}. */
        void cutOff() {
            cutOff = true;
            deaf = true;
        }

        /** Holds back what is read only. */
        void deafen() {
            deaf = true;
        }

        void reconnect() {
            cutOff = false;
            deaf = false;
            List<Runnable> late = List.copyOf(unsent);
            unsent.clear();
            late.forEach(Runnable::run);
            timer.after(HOP_NANOS, this::read);
        }

        /** Loses the next record that is written here, after it was acknowledged. */
        void loseNext() {
            loses = true;
        }

        /** Refuses writes; null for no more. */
        void failWith(@Nullable RuntimeException newFailure) {
            failure = newFailure;
        }

        /** The process is gone: nothing it has not sent is ever written. */
        void kill() {
            cutOff();
            views.remove(this);
            follower = null;
        }

        @Override
        public CompletionStage<@Nullable Void> follow(Follower newFollower) {
            follower = newFollower;
            return caughtUp();
        }

        @Override
        public CompletionStage<@Nullable Void> caughtUp() {
            CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
            pending.add(new Pending(entries.size(), done));
            timer.after(HOP_NANOS, this::read);
            return done;
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
            if (failure != null) {
                return CompletableFuture.failedStage(failure);
            }
            CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
            timer.after(HOP_NANOS, () -> send(key, value, done));
            return done;
        }

        private void send(String key, byte @Nullable [] value, CompletableFuture<@Nullable Void> done) {
            if (cutOff) {
                unsent.add(() -> send(key, value, done));
            } else if (loses) {
                loses = false;
                pending.add(new Pending(entries.size() + 1, done));
            } else {
                pending.add(new Pending(append(key, value), done));
            }
        }

        private void read() {
            if (follower == null || deaf) {
                return;
            }
            while (position < entries.size()) {
                Entry entry = entries.get(position++);
                follower.onTime(position);
                follower.onChange(entry.key, entry.value);
            }
            List<Pending> seen =
                    pending.stream().filter(wait -> wait.position <= position).toList();
            pending.removeAll(seen);
            seen.forEach(wait -> wait.done.complete(null));
        }
    }
}
