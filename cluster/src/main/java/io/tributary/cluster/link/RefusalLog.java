package io.tributary.cluster.link;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says why connections between nodes fail: the same about the same peer once a minute, and no more than a few hundred
 * lines a minute in all. Any thread.
 */
final class RefusalLog {
    private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);
    private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int MOST_LINES = 256;

    private final LongSupplier nanoClock;
    private final Set<String> said = new HashSet<>();
    private volatile @Nullable Refusal last;
    private long windowStart;

    RefusalLog(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        windowStart = nanoClock.getAsLong();
    }

    /**
     * A connection did not become a link.
     *
     * @param peer which line is not repeated
     * @param about the peer as the log is to name it
     */
    void refused(String peer, String about, Refusal why) {
        last = why.isPassing() ? last : why;
        if (!isDue(peer + ' ' + why)) {
            LOG.debug("no link with {}: {}", about, why.words());
        } else if (why.isPassing()) {
            LOG.info("no link with {}: {}", about, why.words());
        } else {
            LOG.warn("no link with {}: {}", about, why.words());
        }
    }

    /** A link came up: what was refused before is not what keeps this node from others. */
    void linked() {
        last = null;
    }

    /** The newest refusal since then that does not pass by itself, or null. */
    @Nullable
    Refusal last() {
        return last;
    }

    /** A link broke because of what came over it. */
    void broken(String peer, String how) {
        if (isDue(peer)) {
            LOG.warn("the link with {} is closed: {}", peer, how);
        }
    }

    /** An attempt to connect failed; a node that does not listen yet will soon. */
    void unreachable(NodeId peer, InetSocketAddress address, @Nullable Throwable why) {
        if (isDue(peer + " unreachable")) {
            LOG.info("cannot connect to {} at {}, and will try again: {}", peer, address, String.valueOf(why));
        }
    }

    /** Whether this is to be said now. */
    synchronized boolean isDue(String what) {
        long now = nanoClock.getAsLong();
        if (now - windowStart >= WINDOW_NANOS) {
            windowStart = now;
            said.clear();
        }
        return said.size() < MOST_LINES && said.add(what);
    }
}
