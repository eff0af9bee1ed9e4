package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How far the followers of one map are, and which writes wait for them. A node that has not reached what a wait needs
 * when its time is over is left out, by all waits, until it has reached in that same time what this node had reached.
 * Not safe for use by several threads; completes nothing itself.
 */
final class Followers {
    private final String map;
    private final long leaveOutNanos;
    private final Lag lag;
    private final Map<NodeId, Peer> peers = new HashMap<>();
    private final PriorityQueue<Wait> waits = new PriorityQueue<>(Comparator.comparingLong(Wait::position));
    private long own;
    /** How far at most those are that were forgotten: it is not known whether that is still in the map. */
    private long gone;
    /** The same of those that were forgotten before {@link #beginToAsk}. */
    private long asked;

    Followers(String map, VisibilityConfig config) {
        this.map = map;
        leaveOutNanos = config.leaveOut().toNanos();
        lag = new Lag(config.behind().toNanos());
    }

    String map() {
        return map;
    }

    /** This node's position, which is to be told. */
    long own() {
        return own;
    }

    int waiting() {
        return waits.size();
    }

    /** This node's follower is there; returns whether that is news. */
    boolean reached(long position) {
        boolean news = position > own;
        own = Math.max(own, position);
        return news;
    }

    /** Another node's follower is there. */
    void reached(NodeId peer, long position, long nowNanos) {
        peers.computeIfAbsent(peer, id -> new Peer()).reached(position, own, nowNanos, leaveOutNanos);
    }

    void forget(NodeId peer) {
        Peer forgotten = peers.remove(peer);
        if (forgotten != null) {
            gone = Math.max(gone, forgotten.position);
        }
    }

    /**
     * Whether this node's follower is behind one that is forgotten. It has to catch up, for the other one may have
     * answered a SUBACK; but the map may have lost its end since, and then the follower never gets there. So Kafka is
     * to be asked.
     */
    boolean isBehindForgotten() {
        return own < gone;
    }

    /** Kafka is asked from now on whether this node's follower has seen all there is. */
    void beginToAsk() {
        asked = gone;
        gone = 0;
    }

    /** @param caughtUp whether it had */
    void endAsking(boolean caughtUp) {
        gone = caughtUp ? gone : Math.max(gone, asked);
        asked = 0;
    }

    void add(Wait wait) {
        waits.add(wait);
    }

    /** Takes all waits. */
    List<Wait> takeAll() {
        List<Wait> all = new ArrayList<>(waits);
        waits.clear();
        return all;
    }

    /** Takes the waits that are over now: all nodes of those given that are not left out are there, and this one is. */
    List<Wait> takeDone(Iterable<NodeId> live) {
        long everywhere = own;
        for (NodeId node : live) {
            Peer peer = peers.get(node);
            if (peer == null) {
                everywhere = 0;
            } else if (!peer.leftOut) {
                everywhere = Math.min(everywhere, peer.position);
            }
        }
        List<Wait> done = new ArrayList<>();
        while (!waits.isEmpty() && waits.peek().position <= everywhere) {
            done.add(waits.remove());
        }
        return done;
    }

    /**
     * Takes the waits whose time is over, and leaves out the nodes that they waited for.
     *
     * @param leftOut where the nodes are put that are left out from now on
     */
    List<Wait> takeExpired(Iterable<NodeId> live, long nowNanos, List<NodeId> leftOut) {
        List<Wait> expired = new ArrayList<>();
        waits.removeIf(wait -> nowNanos - wait.deadlineNanos >= 0 && expired.add(wait));
        long needed = expired.stream().mapToLong(Wait::position).max().orElse(0);
        for (NodeId node : live) {
            Peer peer = peers.computeIfAbsent(node, id -> new Peer());
            if (!peer.leftOut && peer.position < needed) {
                peer.leaveOut(own, nowNanos);
                leftOut.add(node);
            }
        }
        return expired;
    }

    /** Whether this node's follower is behind the others'. */
    boolean isBehind(long nowNanos) {
        long others = Math.max(gone, asked);
        for (Peer peer : peers.values()) {
            others = Math.max(others, peer.position);
        }
        return lag.look(own, others, nowNanos);
    }

    /**
     * A wait.
     *
     * @param deadlineNanos when its time is over
     */
    record Wait(long position, long deadlineNanos, CompletableFuture<@Nullable Void> done) {}

    /** The follower of another node. */
    private static final class Peer {
        private long position;
        private boolean leftOut;
        private long goal;
        private long goalNanos;

        void leaveOut(long newGoal, long nowNanos) {
            leftOut = true;
            goal = newGoal;
            goalNanos = nowNanos;
        }

        void reached(long newPosition, long ours, long nowNanos, long limitNanos) {
            position = Math.max(position, newPosition);
            if (leftOut && position >= goal) {
                boolean inTime = nowNanos - goalNanos <= limitNanos;
                leftOut = !inTime && position < ours;
                goal = ours;
                goalNanos = nowNanos;
            }
        }
    }
}
