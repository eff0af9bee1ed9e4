package io.tributary.cluster.node;

import io.tributary.cluster.link.Link;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The links to other nodes, and what was sent over each that is not answered. Any thread.
 *
 * @param <W> a waiter for an answer
 */
final class PeerChannels<W> {
    private final ConcurrentMap<String, PeerChannel<W>> byNode = new ConcurrentHashMap<>();

    /** A link, and the waiters for answers over it, by the numbers that were sent with their questions. */
    static final class PeerChannel<W> {
        final Link link;
        final ConcurrentMap<Long, W> waiting = new ConcurrentHashMap<>();

        private PeerChannel(Link link) {
            this.link = link;
        }
    }

    /** There is a link to a node. */
    void up(Link link) {
        byNode.put(link.peer().toString(), new PeerChannel<>(link));
    }

    /** A link is gone; returns its channel, null when there is a newer link to the node. */
    @Nullable
    PeerChannel<W> down(Link link) {
        PeerChannel<W> channel = of(link);
        return channel != null && byNode.remove(link.peer().toString(), channel) ? channel : null;
    }

    /** The channel to a node, {@code name#number}; null when there is no link. */
    @Nullable
    PeerChannel<W> to(String node) {
        return byNode.get(node);
    }

    /** The channel of a link; null when it is gone. */
    @Nullable
    PeerChannel<W> of(Link link) {
        PeerChannel<W> channel = byNode.get(link.peer().toString());
        return channel != null && channel.link.equals(link) ? channel : null;
    }

    Collection<PeerChannel<W>> all() {
        return byNode.values();
    }
}
