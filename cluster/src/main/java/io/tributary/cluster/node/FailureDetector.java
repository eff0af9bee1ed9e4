package io.tributary.cluster.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How long the other nodes have been silent. The clock that counts is this node's own heartbeats: as the table has one
 * order, a node that wrote before this node's heartbeat has been heard when that heartbeat comes back. Only the time
 * between two of them that came back in time counts, so a pause or a slow way of this process is not taken for the
 * silence of others. Confined to the map's thread, but for {@link #isCurrent}, {@link #isHeard} and {@link #of}.
 *
 * <p>Decided in docs/decisions/0009-a-node-notices-its-own-pause.md.
 */
final class FailureDetector {
    private final long lateNanos;
    private final long gapNanos;
    private final long heardLatelyNanos;
    private final Map<String, Long> silentNanos = new ConcurrentHashMap<>();
    private final Map<String, Long> heardNanos = new ConcurrentHashMap<>();
    /** When the last own heartbeat came back. */
    private @Nullable Long ownNanos;
    /** When that had been written. */
    private volatile @Nullable Long ownWrittenNanos;

    FailureDetector(NodeTableConfig config) {
        lateNanos = config.late().toNanos();
        gapNanos = config.heartbeat().plus(config.late()).toNanos();
        heardLatelyNanos = gapNanos + config.heartbeat().toNanos();
    }

    /** A record of a node that is alive came. */
    void heard(String name, long nowNanos) {
        silentNanos.put(name, 0L);
        heardNanos.put(name, nowNanos);
    }

    /** A node is to be watched no more. */
    void forget(String name) {
        silentNanos.remove(name);
        heardNanos.remove(name);
    }

    /**
     * This node's own heartbeat came back.
     *
     * @param writtenNanos when it was written
     */
    void ownHeartbeat(long writtenNanos, long nowNanos) {
        Long before = ownNanos;
        if (before != null && nowNanos - before <= gapNanos && nowNanos - writtenNanos <= lateNanos) {
            heardNanos.forEach((name, heard) -> silentNanos.merge(name, nowNanos - later(before, heard), Long::sum));
        }
        ownNanos = nowNanos;
        ownWrittenNanos = writtenNanos;
    }

    /**
     * Whether an own heartbeat has come back that was written no longer ago: this node has seen what was written before
     * it.
     */
    boolean isCurrent(long nowNanos, long ageNanos) {
        Long last = ownWrittenNanos;
        return last != null && nowNanos - last <= ageNanos;
    }

    /** Whether a record of a node came within the time of two heartbeats, and what one may be late. */
    boolean isHeard(String name, long nowNanos) {
        Long heard = heardNanos.get(name);
        return heard != null && nowNanos - heard <= heardLatelyNanos;
    }

    /** How long a node has been silent. */
    Duration of(String name) {
        return Duration.ofNanos(silentNanos.getOrDefault(name, 0L));
    }

    /** The nodes that have been silent for so long at least. */
    List<String> silentFor(Duration limit) {
        List<String> names = new ArrayList<>();
        silentNanos.forEach((name, silent) -> {
            if (silent >= limit.toNanos()) {
                names.add(name);
            }
        });
        return names;
    }

    private static long later(long nanos, long other) {
        return other - nanos > 0 ? other : nanos;
    }
}
