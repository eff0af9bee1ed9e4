package io.tributary.cluster.link;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * The connections to this node that have not authenticated, a limited number. One too many takes the place of the
 * oldest: a node needs a moment only, so a peer that just occupies places keeps no node out. Any thread.
 */
final class HalfOpen {
    private final int max;
    private final SequencedSet<PeerConnection> channels = new LinkedHashSet<>();

    HalfOpen(int max) {
        this.max = max;
    }

    /** Adds a new connection. */
    void add(PeerConnection channel) {
        PeerConnection crowdedOut = addAndTrim(channel);
        if (crowdedOut != null) {
            crowdedOut.fail(Refusal.CROWDED);
        }
    }

    /** The connection has authenticated, or is closed. */
    synchronized void remove(PeerConnection channel) {
        channels.remove(channel);
    }

    /** All that are open now. */
    synchronized List<PeerConnection> all() {
        return List.copyOf(channels);
    }

    private synchronized @Nullable PeerConnection addAndTrim(PeerConnection channel) {
        channels.add(channel);
        return channels.size() > max ? channels.removeFirst() : null;
    }
}
