package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import io.tributary.cluster.node.Followers.Wait;
import io.tributary.cluster.node.NodeMessage.MapProgress;
import io.tributary.persistence.replicated.Visibility;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * How far the followers of this cluster's replicated maps are: each node tells all it has a link with, and remembers
 * what it was told. A write waits for every live node, but for no longer than {@link VisibilityConfig#leaveOut}: then a
 * node that is not there is left out until it has caught up. A node that is {@link #isBehind} may be left out by
 * others, and must read no PUBLISH.
 *
 * <p>All methods may be called from any thread, and none blocks. Stages complete on the thread whose call completes
 * them, or on the timer's, without a lock held.
 */
public final class ClusterVisibility implements Visibility, AutoCloseable {
    /** So that a follower that is behind is noticed soon enough, see {@link VisibilityConfig#behind}. */
    private static final int LOOKS_A_LIMIT = 8;

    private final VisibilityConfig config;
    private final ClusterTimer timer;
    private final VisibilityListener listener;
    private volatile boolean behind;

    // Guarded by this.
    private final Map<String, Followers> maps = new HashMap<>();
    private final Map<String, Long> sentNanos = new HashMap<>();
    private final Set<String> scheduled = new HashSet<>();
    private final Set<NodeId> live = new HashSet<>();
    private final Set<NodeId> linked = new HashSet<>();
    private long repeatedNanos;
    private boolean asking;
    private boolean closed;

    /**
     * Creates it, of a node that knows of no other yet.
     *
     * @param mapNames the maps there are; what others say of further ones is ignored
     */
    public ClusterVisibility(
            Set<String> mapNames, VisibilityConfig config, ClusterTimer timer, VisibilityListener listener) {
        this.config = config;
        this.timer = timer;
        this.listener = listener;
        mapNames.forEach(map -> maps.put(map, new Followers(map, config)));
        repeatedNanos = timer.nanos();
        timer.after(lookNanos(), this::look);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Fails with {@link IllegalStateException} when too many wait, or when this is closed before.
     */
    @Override
    public CompletionStage<@Nullable Void> everywhere(String map, long position) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        List<Wait> over;
        synchronized (this) {
            Followers followers = followers(map);
            if (closed || followers.waiting() >= config.maxWaits()) {
                listener.onRefused(map);
                return CompletableFuture.failedStage(new IllegalStateException(
                        closed ? "this node stops" : "map " + map + ": too many writes wait for other nodes"));
            }
            long deadline = timer.nanos() + config.leaveOut().toNanos();
            followers.add(new Wait(position, deadline, done));
            over = followers.takeDone(live);
        }
        complete(over);
        return done;
    }

    @Override
    public void reached(String map, long position) {
        List<Wait> over;
        MapProgress progress;
        Collection<NodeId> to;
        synchronized (this) {
            Followers followers = followers(map);
            if (!followers.reached(position)) {
                return;
            }
            over = followers.takeDone(live);
            progress = toSendNow(followers);
            to = List.copyOf(linked);
        }
        if (progress != null && !to.isEmpty()) {
            listener.send(to, progress);
        }
        complete(over);
    }

    /** A node says how far its follower is. */
    public void received(NodeId from, MapProgress progress) {
        List<Wait> over;
        synchronized (this) {
            Followers followers = maps.get(progress.map());
            if (followers == null || !(live.contains(from) || linked.contains(from))) {
                return;
            }
            followers.reached(from, progress.position(), timer.nanos());
            over = followers.takeDone(live);
        }
        complete(over);
    }

    /** There is a link to a node: it is told everything at once. */
    public void linkUp(NodeId node) {
        List<MapProgress> all;
        synchronized (this) {
            linked.add(node);
            all = progressOfAll();
        }
        all.forEach(progress -> listener.send(List.of(node), progress));
    }

    /** The link to a node is gone. */
    public synchronized void linkDown(NodeId node) {
        linked.remove(node);
        forgetUnknown(node);
    }

    /** A node serves clients: writes wait for it from now on. */
    public synchronized void live(NodeId node) {
        live.add(node);
    }

    /** A node is over: nothing waits for it any more. */
    public void gone(NodeId node) {
        List<Wait> over = new ArrayList<>();
        synchronized (this) {
            live.remove(node);
            forgetUnknown(node);
            maps.values().forEach(followers -> over.addAll(followers.takeDone(live)));
        }
        complete(over);
    }

    /**
     * Whether Kafka is to be asked now, for this node is behind one that is gone; {@link #asked} is to be called
     * afterwards.
     */
    public synchronized boolean ask() {
        if (asking || maps.values().stream().noneMatch(Followers::isBehindForgotten)) {
            return false;
        }
        asking = true;
        maps.values().forEach(Followers::beginToAsk);
        return true;
    }

    /**
     * Kafka has been asked.
     *
     * @param caughtUp whether this node has seen all that the maps had when {@link #ask} was called, or later
     */
    public synchronized void asked(boolean caughtUp) {
        asking = false;
        maps.values().forEach(followers -> followers.endAsking(caughtUp));
    }

    /**
     * Whether this node is behind what others have told, in any map, as {@link VisibilityListener#onBehind} was last
     * told.
     */
    public boolean isBehind() {
        return behind;
    }

    /** Fails the writes that wait; from now on no position is told or taken. */
    @Override
    public void close() {
        List<Wait> all = new ArrayList<>();
        synchronized (this) {
            closed = true;
            maps.values().forEach(followers -> all.addAll(followers.takeAll()));
        }
        all.forEach(wait -> wait.done().completeExceptionally(new IllegalStateException("this node stops")));
    }

    /**
     * A few times a second: whose time is over, is this node behind, is everything to be told again? On the timer's
     * thread.
     */
    private void look() {
        List<Wait> over = new ArrayList<>();
        List<Runnable> tell = new ArrayList<>();
        boolean nowBehind = false;
        synchronized (this) {
            if (closed) {
                return;
            }
            long now = timer.nanos();
            for (Followers followers : maps.values()) {
                over.addAll(expired(followers, now, tell));
                nowBehind |= followers.isBehind(now);
            }
            repeat(now, tell);
        }
        if (nowBehind != behind) {
            behind = nowBehind;
            listener.onBehind(nowBehind);
        }
        tell.forEach(Runnable::run);
        complete(over);
        timer.after(lookNanos(), this::look);
    }

    private List<Wait> expired(Followers followers, long now, List<Runnable> tell) {
        List<NodeId> leftOut = new ArrayList<>();
        List<Wait> over = followers.takeExpired(live, now, leftOut);
        leftOut.forEach(node -> tell.add(() -> listener.onLeftOut(node, followers.map())));
        over.addAll(followers.takeDone(live));
        return over;
    }

    private void repeat(long now, List<Runnable> tell) {
        if (now - repeatedNanos < config.repeat().toNanos()) {
            return;
        }
        repeatedNanos = now;
        List<NodeId> to = List.copyOf(linked);
        if (!to.isEmpty()) {
            progressOfAll().forEach(progress -> tell.add(() -> listener.send(to, progress)));
        }
    }

    /** The position to announce of a map now; null when the announcement waits for more writes. */
    private @Nullable MapProgress toSendNow(Followers followers) {
        long now = timer.nanos();
        Long sent = sentNanos.get(followers.map());
        long rest = sent == null ? 0 : sent + config.coalesce().toNanos() - now;
        if (rest <= 0) {
            sentNanos.put(followers.map(), now);
            return progressOf(followers);
        }
        if (scheduled.add(followers.map())) {
            timer.after(rest, () -> flush(followers));
        }
        return null;
    }

    private void flush(Followers followers) {
        MapProgress progress;
        Collection<NodeId> to;
        synchronized (this) {
            if (closed) {
                return;
            }
            scheduled.remove(followers.map());
            sentNanos.put(followers.map(), timer.nanos());
            progress = progressOf(followers);
            to = List.copyOf(linked);
        }
        if (!to.isEmpty()) {
            listener.send(to, progress);
        }
    }

    private List<MapProgress> progressOfAll() {
        return maps.values().stream().map(ClusterVisibility::progressOf).toList();
    }

    private static MapProgress progressOf(Followers followers) {
        return new MapProgress(followers.map(), followers.own());
    }

    private void forgetUnknown(NodeId node) {
        if (!live.contains(node) && !linked.contains(node)) {
            maps.values().forEach(followers -> followers.forget(node));
        }
    }

    private Followers followers(String map) {
        Followers followers = maps.get(map);
        if (followers == null) {
            throw new IllegalArgumentException("there is no map " + map);
        }
        return followers;
    }

    private long lookNanos() {
        return config.behind().toNanos() / LOOKS_A_LIMIT;
    }

    private static void complete(List<Wait> over) {
        over.forEach(wait -> wait.done().complete(null));
    }
}
