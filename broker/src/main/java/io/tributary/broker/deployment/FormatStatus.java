package io.tributary.broker.deployment;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * In which format records are written, and what keeps a newer one from it.
 *
 * @param written the format in which this node writes
 * @param newest the newest format that its version reads
 * @param nodes all nodes that are there, this one first
 */
public record FormatStatus(int written, int newest, List<Node> nodes) {
    public FormatStatus {
        nodes = List.copyOf(nodes);
    }

    /**
     * A node.
     *
     * @param version the program and its version; null when the node has not said it lately
     * @param upTo the newest format that it lets the others write: what it reads, or on hold an older one
     */
    public record Node(String name, @Nullable String version, int upTo) {}

    /**
     * The names of the nodes on hold: those that run the version of this one, and let the others write less than it
     * reads. Of others it is not known.
     */
    public List<String> heldBy() {
        String version = nodes.getFirst().version();
        return nodes.stream()
                .filter(node -> Objects.equals(node.version(), version) && node.upTo() < newest)
                .map(Node::name)
                .toList();
    }

    /**
     * Why the upgrade cannot be finished yet, in words: another node runs another version than this one; null when
     * nothing is known to be in the way.
     */
    public @Nullable String obstacle() {
        Node here = nodes.getFirst();
        for (Node other : nodes) {
            if (other.version() == null) {
                return "node " + other.name() + " has not said lately which version it runs: try again when it is gone,"
                        + " or linked";
            }
            if (!other.version().equals(here.version())) {
                return "node " + other.name() + " runs " + other.version() + ", and this one " + here.version()
                        + ": upgrade all nodes first";
            }
        }
        return null;
    }
}
