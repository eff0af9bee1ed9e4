package io.tributary.cluster.node;

import io.tributary.broker.deployment.Loss;
import io.tributary.cluster.link.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds out when this node, and not every node, is cut off from a thing that it needs to serve clients:
 *
 * <ul>
 *   <li>from Kafka, as the others say who miss its heartbeats while theirs come back; it is to let its clients go
 *       before they declare it dead and publish the wills. While no other node says so it keeps them, for then no node
 *       can declare another one dead; but only for some time where there is a node that it cannot ask.
 *   <li>from another node, while both reach Kafka. One of the two gives way: the one that serves no clients yet, then
 *       the one with fewer links, then the one with the greater name. Both decide by the node table, so both decide the
 *       same.
 * </ul>
 *
 * <p>Looked at on one thread; told by any.
 */
final class CutOff {
    private final NodeTable table;
    private final NodeTableConfig config;
    private final ClusterTimer timer;
    private final Set<NodeId> linked = ConcurrentHashMap.newKeySet();
    private volatile @Nullable SilenceReport told;
    private volatile String obstacles = "";

    /** Since when there is no link with a node. */
    private final Map<NodeId, Long> apartNanos = new HashMap<>();
    /** Since when this node has read its own heartbeats in time; null while it does not. */
    private @Nullable Long currentNanos;
    /** When this node last had to give way to one that it could not reach. */
    private @Nullable Long gaveWayNanos;

    private record SilenceReport(long silentNanos, long atNanos) {}

    CutOff(NodeTable table, NodeTableConfig config, ClusterTimer timer) {
        this.table = table;
        this.config = config;
        this.timer = timer;
    }

    /** There is a link with a node. */
    void linkUp(NodeId node) {
        linked.add(node);
    }

    /** The link with a node is gone. */
    void linkDown(NodeId node) {
        linked.remove(node);
    }

    /** With how many nodes there is a link. */
    int links() {
        return linked.size();
    }

    /** A node has heard nothing of this one for so long. */
    void unheard(long silentNanos) {
        told = new SilenceReport(silentNanos, timer.nanos());
    }

    /** This process stood still: messages that arrive now are from that time. */
    void paused() {
        told = null;
    }

    /** Looks; to be called some times a second. */
    @Nullable
    Loss look() {
        long now = timer.nanos();
        Map<NodeId, NodeRecord> others = table.others();
        apartNanos.keySet().retainAll(others.keySet());
        for (NodeId other : others.keySet()) {
            if (linked.contains(other)) {
                apartNanos.remove(other);
            } else {
                apartNanos.putIfAbsent(other, now);
            }
        }
        boolean isCurrent = table.isCurrent(config.heartbeat().plus(config.late()));
        if (!isCurrent) {
            currentNanos = null;
        } else if (currentNanos == null) {
            currentNanos = now;
        }
        return isCurrent ? cutOffFromNodes(others, now) : cutOffFromKafka(now);
    }

    private @Nullable Loss cutOffFromKafka(long now) {
        SilenceReport last = told;
        boolean isTold = last != null
                && now - last.atNanos <= config.heartbeat().plus(config.late()).toNanos()
                && last.silentNanos >= config.silence().toNanos() / 4 * 3;
        if (isTold && !table.isCurrent(config.silence().dividedBy(2))) {
            return new Loss("it cannot reach Kafka, and others can", false);
        }
        if (!table.isCurrent(config.isolation())) {
            List<NodeId> apart = apartFor(config.isolation(), now);
            if (!apart.isEmpty()) {
                return new Loss("it can reach neither Kafka nor " + names(apart), false);
            }
        }
        return null;
    }

    private @Nullable Loss cutOffFromNodes(Map<NodeId, NodeRecord> others, long now) {
        if (currentNanos == null || now - currentNanos < config.silence().toNanos()) {
            return null;
        }
        List<NodeId> stronger = strongerOf(apartFor(config.silence(), now), others);
        return stronger.isEmpty() ? null : new Loss("it cannot reach " + names(stronger), true);
    }

    private List<NodeId> strongerOf(Collection<NodeId> apart, Map<NodeId, NodeRecord> others) {
        return apart.stream()
                .filter(other -> givesWayTo(other, others.get(other)))
                .toList();
    }

    private List<NodeId> apartFor(Duration time, long now) {
        List<NodeId> apart = new ArrayList<>();
        apartNanos.forEach((other, since) -> {
            if (now - since >= time.toNanos()) {
                apart.add(other);
            }
        });
        return apart;
    }

    private boolean givesWayTo(NodeId other, @Nullable NodeRecord there) {
        NodeRecord here = table.own();
        if (here == null || there == null || there.state() == NodeState.LEAVING || !table.isHeard(other.name())) {
            return false;
        }
        if (here.state().isServing() != there.state().isServing()) {
            return there.state().isServing();
        }
        return here.links() == there.links() ? other.name().compareTo(table.name()) < 0 : here.links() < there.links();
    }

    /**
     * Whether this node reaches all that it would have to give way to, and has for some time if it did not for long; to
     * be called after {@link #look}.
     */
    boolean mayServe() {
        long now = timer.nanos();
        Map<NodeId, NodeRecord> others = table.others();
        List<NodeId> stronger = strongerOf(apartNanos.keySet(), others);
        obstacles = names(stronger);
        if (stronger.stream().anyMatch(apartFor(config.silence(), now)::contains)) {
            gaveWayNanos = now;
        }
        return table.own() != null
                && stronger.isEmpty()
                && (gaveWayNanos == null
                        || now - gaveWayNanos
                                >= config.silence().multipliedBy(2).toNanos());
    }

    /** The nodes that kept this one from serving clients at the last look, with commas between; any thread. */
    String obstacles() {
        return obstacles;
    }

    private static String names(List<NodeId> nodes) {
        return String.join(", ", nodes.stream().map(NodeId::name).sorted().toList());
    }
}
