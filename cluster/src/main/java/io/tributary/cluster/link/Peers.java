package io.tributary.cluster.link;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which connections become links: one a name, to the newest process of it. A connection that takes another's
 * place waits until that one is down. Of two nodes the one whose name is smaller connects, so that there are never two
 * attempts that could cross.
 *
 * <p>All decisions are made by one event loop, one after the other; methods may be called from any thread.
 */
final class Peers {
    private static final Logger LOG = LoggerFactory.getLogger(Peers.class);

    /** When it is looked, after a link was lost, whether its peer is there: a process ends piece by piece. */
    private static final long[] LOOK_MILLIS = {0, 30, 100, 300, 1000};

    private final EventExecutor decider;
    private final NodeId self;
    private final Dialer dialer;
    private final LinkReceiver receiver;
    private final LinkRecorder recorder;
    private final Map<String, Peer> byName = new HashMap<>();
    private long generation;
    private boolean closed;

    Peers(EventExecutor decider, NodeId self, Dialer dialer, LinkReceiver receiver, LinkRecorder recorder) {
        this.decider = decider;
        this.self = self;
        this.dialer = dialer;
        this.receiver = receiver;
        this.recorder = recorder;
    }

    /** The ways to other nodes. */
    interface Dialer {
        /** Begins to connect; {@link #authenticated} or {@link #ended} follows. */
        PeerConnection dial(NodeId to, InetSocketAddress address);

        /** Tries whether anybody listens there, and no more; runs the action on some thread if nobody does. */
        void look(NodeId peer, InetSocketAddress address, Runnable onRefused);
    }

    /** Replaces the set of nodes that there are to be links with. */
    void set(Map<NodeId, InetSocketAddress> nodes) {
        Map<NodeId, InetSocketAddress> copy = Map.copyOf(nodes);
        decide(() -> replace(copy));
    }

    /** The connection is to a node that knows the secret. */
    void authenticated(PeerConnection channel, NodeId who) {
        decide(() -> admit(channel, who));
    }

    /** The connection is closed, and its receiver has been told. */
    void ended(PeerConnection channel, NodeId who) {
        decide(() -> forget(channel, who));
    }

    /** Closes everything that is no link, and lets links send what they have accepted. */
    void close() {
        decide(() -> {
            closed = true;
            byName.values().forEach(Peers::finish);
        });
    }

    private void replace(Map<NodeId, InetSocketAddress> nodes) {
        if (closed) {
            return;
        }
        byName.values().forEach(peer -> peer.wanted = false);
        nodes.forEach(this::want);
        for (Peer peer : byName.values()) {
            peer.closeOutdated();
            if (!peer.wanted) {
                peer.cancelRetry();
            }
            dialIfDue(peer);
        }
        byName.values().removeIf(peer -> !peer.wanted && peer.isIdle());
    }

    private void want(NodeId id, InetSocketAddress address) {
        if (id.name().equals(self.name())) {
            return;
        }
        Peer peer = byName.computeIfAbsent(id.name(), name -> new Peer(id, address));
        peer.wanted = true;
        if (id.incarnation() >= peer.id.incarnation()) {
            peer.id = id;
            peer.address = address;
        }
    }

    private void admit(PeerConnection channel, NodeId who) {
        Peer peer = byName.get(who.name());
        if (closed || peer == null || !peer.wanted) {
            channel.refuse(Refusal.UNKNOWN_NODE);
        } else if (who.incarnation() < peer.id.incarnation()) {
            channel.refuse(Refusal.OUTDATED);
        } else {
            peer.id = who;
            if (channel.equals(peer.dialing)) {
                peer.dialing = null;
            }
            if (peer.waiting != null) {
                peer.waiting.close();
            }
            peer.waiting = channel;
            if (peer.current == null) {
                promote(peer, channel);
            } else {
                peer.current.close();
            }
        }
    }

    private void promote(Peer peer, PeerConnection channel) {
        peer.waiting = null;
        peer.current = channel;
        peer.backoff.reset();
        generation++;
        channel.up(generation);
    }

    private void forget(PeerConnection channel, NodeId who) {
        Peer peer = byName.get(who.name());
        if (peer == null) {
            return;
        }
        if (channel.equals(peer.dialing)) {
            peer.dialing = null;
        } else if (channel.equals(peer.waiting)) {
            peer.waiting = null;
        } else if (channel.equals(peer.current)) {
            peer.current = null;
            lookFor(peer, who, 0);
        } else {
            return;
        }
        if (closed || !peer.wanted) {
            removeIfIdle(peer);
        } else if (peer.current == null && peer.waiting != null) {
            promote(peer, peer.waiting);
        } else if (peer.isIdle() && isOursToDial(peer)) {
            peer.retry = decider.schedule(() -> redial(peer), peer.backoff.next(), TimeUnit.MILLISECONDS);
        }
    }

    /** Finds out soon whether the process is gone, whichever of the two connects. */
    private void lookFor(Peer peer, NodeId process, int times) {
        ScheduledFuture<?> _ = decider.schedule(
                () -> {
                    boolean isMissing = peer.wanted && peer.current == null && peer.id.equals(process);
                    if (!closed && isMissing && peer.equals(byName.get(process.name()))) {
                        dialer.look(process, peer.address, () -> receiver.onRefused(process));
                        if (times + 1 < LOOK_MILLIS.length) {
                            lookFor(peer, process, times + 1);
                        }
                    }
                },
                LOOK_MILLIS[times],
                TimeUnit.MILLISECONDS);
    }

    private void redial(Peer peer) {
        peer.retry = null;
        dialIfDue(peer);
    }

    private void dialIfDue(Peer peer) {
        if (!closed && peer.wanted && peer.isIdle() && isOursToDial(peer)) {
            if (peer.dialed) {
                recorder.reconnecting();
            }
            peer.dialed = true;
            peer.dialing = dialer.dial(peer.id, peer.address);
        }
    }

    private void removeIfIdle(Peer peer) {
        if (peer.isIdle()) {
            byName.remove(peer.id.name());
        }
    }

    private boolean isOursToDial(Peer peer) {
        return self.name().compareTo(peer.id.name()) < 0;
    }

    private static void finish(Peer peer) {
        peer.cancelRetry();
        closeIfThere(peer.dialing);
        closeIfThere(peer.waiting);
        if (peer.current != null) {
            peer.current.finish();
        }
    }

    private static void closeIfThere(@Nullable PeerConnection channel) {
        if (channel != null) {
            channel.close();
        }
    }

    private void decide(Runnable decision) {
        try {
            decider.execute(decision);
        } catch (RejectedExecutionException ended) {
            LOG.debug("links are closed", ended);
        }
    }
}
