package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that the node table names, folded from its records in their order: of each name the newest process. Changed
 * on one thread; read by any. A name stays: some hundred bytes each.
 */
final class KnownNodes {
    private final Map<String, NodeRecord> nodes = new ConcurrentHashMap<>();

    /** Takes a record, unless it is older than what is known. */
    Change put(String name, NodeRecord node) {
        NodeRecord known = nodes.get(name);
        if (known != null && !node.follows(known)) {
            return new Change(known, known, false);
        }
        nodes.put(name, node);
        return new Change(known, node, true);
    }

    /** Forgets a node whose last process is over; a removal that came too late for that counts for nothing. */
    void remove(String name) {
        nodes.computeIfPresent(name, (key, node) -> node.state().isFinal() ? null : node);
    }

    /** The latest record of a node. */
    @Nullable
    NodeRecord get(String name) {
        return nodes.get(name);
    }

    /** How many names are known, whatever became of them. */
    int count() {
        return nodes.size();
    }

    /** All nodes that are not dead or gone. */
    void forEachAlive(BiConsumer<String, NodeRecord> action) {
        nodes.forEach((name, node) -> {
            if (!node.state().isFinal()) {
                action.accept(name, node);
            }
        });
    }

    /**
     * Whether most of the other processes that are not over take one for gone: of two others both, of three two. So a
     * node of two is believed alone, and of more than two none is.
     */
    boolean isSuspected(NodeId process) {
        int[] others = new int[2];
        forEachAlive((name, node) -> {
            if (!name.equals(process.name())) {
                others[0]++;
                others[1] += node.part().suspects().contains(process) ? 1 : 0;
            }
        });
        return others[1] > others[0] / 2;
    }

    /** The newest format that all read that are not over; none reads more than that. */
    int oldestFormat(int newest) {
        int[] oldest = {newest};
        forEachAlive((name, node) -> oldest[0] = Math.min(oldest[0], node.format()));
        return oldest[0];
    }

    /** The newest format in which there may be records, also of those that are over; 1 where no node is known. */
    int newestWritten() {
        int newest = 1;
        for (NodeRecord node : nodes.values()) {
            newest = Math.max(newest, node.written());
        }
        return newest;
    }

    /** Where all that are not over listen. */
    Map<NodeId, InetSocketAddress> addresses() {
        Map<NodeId, InetSocketAddress> addresses = new HashMap<>();
        forEachAlive((name, node) -> addresses.put(new NodeId(name, node.incarnation()), addressOf(node)));
        return addresses;
    }

    /** Whether the process, {@code name#incarnation}, is over: also when the table does not have it. */
    boolean isDead(String nodeAndIncarnation) {
        NodeRecord known = knownOf(nodeAndIncarnation);
        return known == null || known.state().isFinal() || incarnationOf(nodeAndIncarnation) < known.incarnation();
    }

    /** Whether the process, {@code name#incarnation}, is over, as the table says: not when it does not have it yet. */
    boolean isKnownDead(String nodeAndIncarnation) {
        NodeRecord known = knownOf(nodeAndIncarnation);
        if (known == null) {
            return false;
        }
        long incarnation = incarnationOf(nodeAndIncarnation);
        return incarnation < known.incarnation()
                || (incarnation == known.incarnation() && known.state().isFinal());
    }

    /** The table's record under the name of a process. */
    private @Nullable NodeRecord knownOf(String nodeAndIncarnation) {
        int separator = nodeAndIncarnation.lastIndexOf('#');
        return separator < 0 ? null : nodes.get(nodeAndIncarnation.substring(0, separator));
    }

    /** The incarnation of a process; -1, which is before all others, where there is none. */
    private static long incarnationOf(String nodeAndIncarnation) {
        try {
            return Long.parseLong(nodeAndIncarnation.substring(nodeAndIncarnation.lastIndexOf('#') + 1));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    static InetSocketAddress addressOf(NodeRecord node) {
        return InetSocketAddress.createUnresolved(node.host(), node.port());
    }

    /**
     * How a record changed a node.
     *
     * @param before what was known of the node, null if nothing
     * @param now what is known of it
     * @param taken whether the record was taken; it is late otherwise
     */
    record Change(@Nullable NodeRecord before, NodeRecord now, boolean taken) {

        /** Whether another process has the name. */
        boolean isNewProcess() {
            return before == null || before.incarnation() != now.incarnation();
        }

        /** Whether a process that was alive is over. */
        boolean ended() {
            return before != null
                    && !before.state().isFinal()
                    && (isNewProcess() || now.state().isFinal());
        }

        /** Whether there is a process that was not known to be alive. */
        boolean began() {
            return isNewProcess() && !now.state().isFinal();
        }

        /** Whether the process serves clients and did not before. */
        boolean becameLive() {
            return now.state().isServing()
                    && (before == null || isNewProcess() || !before.state().isServing());
        }
    }
}
