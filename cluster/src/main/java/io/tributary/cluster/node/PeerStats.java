package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The latest figures of other nodes: one set for each node with which there is a link. Figures older than {@link
 * #MAX_AGE} do not count any more. Any thread.
 */
final class PeerStats {
    /** Ten times the time between two messages of a node. */
    static final Duration MAX_AGE = Duration.ofSeconds(10);

    private final Map<NodeId, Said> newest = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;

    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared or modified
    private record Said(byte[] stats, long nanoTime) {}

    PeerStats(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** A node says it; between the beginning and the end of a link with it. */
    void received(NodeId from, byte[] stats) {
        newest.put(from, new Said(stats, nanoTime.getAsLong()));
    }

    /** The link with a node is gone; the node's next figures come over another link. */
    void linkDown(NodeId node) {
        newest.remove(node);
    }

    /** The latest figures of a node, unless they are too old; to be read only. */
    byte @Nullable [] of(NodeId node) {
        Said said = newest.get(node);
        return said == null || nanoTime.getAsLong() - said.nanoTime > MAX_AGE.toNanos() ? null : said.stats;
    }
}
