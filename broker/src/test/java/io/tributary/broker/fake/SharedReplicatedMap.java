package io.tributary.broker.fake;

import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A replicated map in memory that several nodes follow: a log of changes, which each node reads as far as the test lets
 * it. A write is done when it is in the log and every node that follows has read it. For one thread.
 */
public final class SharedReplicatedMap {
    private final List<Change> log = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private int completed;
    private boolean advancing;

    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared or modified
    private record Change(String key, byte @Nullable [] value, CompletableFuture<@Nullable Void> done) {}

    private record CatchingUp(int end, CompletableFuture<@Nullable Void> done) {}

    /** Another node's copy. */
    public Node node() {
        Node node = new Node();
        nodes.add(node);
        return node;
    }

    /** What a node that starts now would read, keys without a value left out. */
    public Map<String, byte[]> stored() {
        Map<String, byte[]> stored = new HashMap<>();
        for (Change change : log) {
            if (change.value == null) {
                stored.remove(change.key);
            } else {
                stored.put(change.key, change.value);
            }
        }
        return stored;
    }

    /** How many changes there were. */
    public int changes() {
        return log.size();
    }

    private void append(Change change) {
        log.add(change);
        advance();
    }

    /** Lets everybody read, and completes what everybody has read; also what comes of that. */
    private void advance() {
        if (advancing) {
            return;
        }
        advancing = true;
        boolean moved = true;
        while (moved) {
            moved = false;
            for (Node node : List.copyOf(nodes)) {
                moved |= node.readOne();
            }
            moved |= completeOne();
        }
        advancing = false;
    }

    private boolean completeOne() {
        int seen = log.size();
        for (Node node : nodes) {
            seen = node.follower == null || node.left ? seen : Math.min(seen, node.position);
        }
        if (completed >= seen) {
            return false;
        }
        log.get(completed++).done.complete(null);
        return true;
    }

    /** One node's copy of the map. */
    public final class Node implements ReplicatedMap {
        private final Queue<Change> held = new ArrayDeque<>();
        private final Queue<CatchingUp> catchingUp = new ArrayDeque<>();
        private @Nullable Follower follower;
        private @Nullable RuntimeException refusal;
        private int position;
        private boolean reads = true;
        private boolean writes = true;
        private boolean left;

        @Override
        public CompletionStage<@Nullable Void> follow(Follower newFollower) {
            follower = newFollower;
            advance();
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<@Nullable Void> caughtUp() {
            CatchingUp call = new CatchingUp(log.size(), new CompletableFuture<>());
            catchingUp.add(call);
            completeCaughtUp();
            return call.done;
        }

        @Override
        public CompletionStage<@Nullable Void> put(String key, byte[] value) {
            return write(key, value);
        }

        @Override
        public CompletionStage<@Nullable Void> remove(String key) {
            return write(key, null);
        }

        /** The node reads nothing from now on. */
        public void stopReading() {
            reads = false;
        }

        /** The node reads what it has missed, and goes on. */
        public void goOnReading() {
            reads = true;
            advance();
        }

        /** What the node writes does not get into the log from now on. */
        public void stopWriting() {
            writes = false;
        }

        /** What the node has written meanwhile gets into the log, late. */
        public void goOnWriting() {
            while (!held.isEmpty()) {
                append(held.remove()); // what comes of that is written behind the rest
            }
            writes = true;
        }

        /** Refuses each write from now on, or no more. */
        public void refuse(@Nullable RuntimeException newRefusal) {
            refusal = newRefusal;
        }

        /** The node is not waited for any more; it may still write. */
        public void leave() {
            left = true;
            advance();
        }

        @Override
        public void close() {}

        private CompletionStage<@Nullable Void> write(String key, byte @Nullable [] value) {
            if (refusal != null) {
                return CompletableFuture.failedStage(refusal);
            }
            Change change = new Change(key, value, new CompletableFuture<>());
            if (writes) {
                append(change);
            } else {
                held.add(change);
            }
            return change.done;
        }

        private boolean readOne() {
            if (follower == null || !reads || position == log.size()) {
                return false;
            }
            Change change = log.get(position++);
            follower.onChange(change.key, change.value);
            completeCaughtUp();
            return true;
        }

        private void completeCaughtUp() {
            while (!catchingUp.isEmpty() && catchingUp.element().end <= position) {
                catchingUp.remove().done.complete(null);
            }
        }
    }
}
