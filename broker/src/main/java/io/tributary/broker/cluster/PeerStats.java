package io.tributary.broker.cluster;

import io.tributary.broker.link.NodeId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What other nodes have said of themselves lately: of each with which there is a link the newest, so no more than there
 * are nodes. What is older than {@link #MAX_AGE} does not count any more. Any thread.
 */
final class PeerStats {
    /** Ten times what lies between two messages of a node. */
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

    /** The link with a node is gone, and what it says next comes over another one. */
    void linkDown(NodeId node) {
        newest.remove(node);
    }

    /** What a node has said last, unless it has said nothing for too long; to be read only. */
    byte @Nullable [] of(NodeId node) {
        Said said = newest.get(node);
        return said == null || nanoTime.getAsLong() - said.nanoTime > MAX_AGE.toNanos() ? null : said.stats;
    }
}
