package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Which other processes this node takes for gone, and says so in the node table: those whose machine refuses
 * connections while there is no link with them, and those that are silent for some time. That moves their shards, if
 * most nodes say it, and nothing else; a node that is taken for gone wrongly loses nothing but time.
 *
 * <p>{@link #look} is called by one thread at a time; all else may be called from any.
 */
final class Suspects {
    /** As many heartbeats may have been on their way when a process ended: at most one is written ahead. */
    private static final int ON_THE_WAY = 1;

    private final Duration limit;
    private final Function<String, Duration> silence;

    /** The processes that have refused a connection, and how often they were heard since. */
    private final Map<NodeId, Integer> refused = new ConcurrentHashMap<>();

    private final Set<NodeId> suspected = new HashSet<>();

    /**
     * Creates it, suspecting nobody.
     *
     * @param limit how long a process may be silent
     * @param silence how long a node has been, by its name
     */
    Suspects(Duration limit, Function<String, Duration> silence) {
        this.limit = limit;
        this.silence = silence;
    }

    /** Nobody listens where a process should. */
    void refused(NodeId process) {
        refused.putIfAbsent(process, 0);
    }

    /** There is a link with a process. */
    void linkUp(NodeId process) {
        refused.remove(process);
    }

    /** A record of a process came. */
    void heard(NodeId process) {
        refused.computeIfPresent(process, (_, times) -> times >= ON_THE_WAY ? null : times + 1);
    }

    /**
     * Those whom this node takes for gone by itself, by name: where most of the other nodes have ended at once, those
     * that are left are too few for a majority. To have refused a connection is not enough then, for that is what a
     * node sees, too, that is cut off itself; half of the usual silence has to come with it.
     */
    List<NodeId> goneAtOnce(KnownNodes known, String self) {
        List<NodeId> gone = new ArrayList<>();
        int[] others = new int[1];
        known.forEachAlive((name, node) -> {
            if (!name.equals(self) && mayHaveShards(node)) {
                others[0]++;
                NodeId process = new NodeId(name, node.incarnation());
                Duration enough = refused.containsKey(process) ? limit.dividedBy(2) : limit;
                if (silence.apply(name).compareTo(enough) >= 0) {
                    gone.add(process);
                }
            }
        });
        return gone.size() > others[0] / 2 ? gone : List.of();
    }

    /**
     * The suspects of now, by name. One for whom most nodes take it stays until it has said that it knows: what it owns
     * would come back to it, and leave it again, otherwise.
     */
    List<NodeId> look(KnownNodes known, String self) {
        Set<NodeId> now = new HashSet<>();
        Set<NodeId> alive = new HashSet<>();
        known.forEachAlive((name, node) -> {
            NodeId process = new NodeId(name, node.incarnation());
            alive.add(process);
            boolean isGone = refused.containsKey(process) || silence.apply(name).compareTo(limit) >= 0;
            boolean isUnaware = suspected.contains(process) && node.part().isSteady() && known.isSuspected(process);
            if (!name.equals(self) && mayHaveShards(node) && (isGone || isUnaware)) {
                now.add(process);
            }
        });
        refused.keySet().retainAll(alive);
        suspected.clear();
        suspected.addAll(now);
        List<NodeId> sorted = new ArrayList<>(now);
        sorted.sort(Comparator.comparing(NodeId::name));
        return sorted.subList(0, Math.min(sorted.size(), ShardPart.MOST_SUSPECTS));
    }

    /** A node that starts has none yet; it is slow to be heard while it reads all subscriptions, and has no link. */
    private static boolean mayHaveShards(NodeRecord node) {
        return node.state() != NodeState.JOINING || node.part().isWilling();
    }
}
