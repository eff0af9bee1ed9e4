package io.tributary.broker.relocation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How connections are spread over the nodes, as a node knows it.
 *
 * @param running whether clients are being sent away
 * @param order the newest order; its numbers are 0 where there was none
 * @param mean how many clients a node has on average
 * @param most how many a node may have by the order
 * @param nodes this node and the others that are alive
 * @param ended why the newest order is over at this node: {@link #EVEN}, or why it ended before; null while it is not,
 *     and where there was none
 */
public record RebalanceStatus(
        boolean running,
        RebalanceOrder order,
        double mean,
        long most,
        List<Part> nodes,
        @Nullable String ended) {
    /** It did what it was for. */
    public static final String EVEN = "no node has too many clients";

    /** Copies the list. */
    public RebalanceStatus {
        nodes = List.copyOf(nodes);
    }

    /**
     * What one node has.
     *
     * @param draining whether it is drained, and has no part in the mean
     */
    public record Part(String node, long connections, boolean draining) {}
}
