package io.tributary.broker.security.rules;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One level of the topics in a {@link RuleTrie}; immutable. Where a number of a rule is asked for, the smallest. */
final class RuleNode {

    /**
     * A way on by a placeholder.
     *
     * @param place the placeholder's place among those of the trie
     * @param denies whether only rules that deny are behind it, or only ones that allow
     */
    record Edge(int place, boolean denies, RuleNode node) {}

    private static final int SPREAD = 0x9E3779B9;

    /** The rule whose topic ends here, or {@link RuleTrie#NONE}. */
    final int ending;

    /** The rule whose topic ends with {@code #} below, or {@link RuleTrie#NONE}. */
    final int multi;

    /** The smallest rule here and below. */
    final int least;

    final @Nullable RuleNode single;
    final Edge[] edges;

    /** A hash table of the levels that are compared as they are: a power of two, half empty. */
    private final String[] levels;

    final @Nullable RuleNode[] literals;

    RuleNode(int ending, int multi, @Nullable RuleNode single, List<Edge> edges, Map<String, RuleNode> children) {
        this.ending = ending;
        this.multi = multi;
        this.single = single;
        this.edges = edges.toArray(Edge[]::new);
        int size = children.isEmpty() ? 0 : Integer.highestOneBit(children.size()) << 2;
        levels = new String[size];
        literals = new RuleNode[size];
        children.forEach(this::put);
        least = least(ending, multi, single, edges, children);
    }

    private static int least(
            int ending, int multi, @Nullable RuleNode single, List<Edge> edges, Map<String, RuleNode> children) {
        int least = Math.min(ending, multi);
        if (single != null) {
            least = Math.min(least, single.least);
        }
        for (Edge edge : edges) {
            least = Math.min(least, edge.node.least);
        }
        for (RuleNode child : children.values()) {
            least = Math.min(least, child.least);
        }
        return least;
    }

    private void put(String level, RuleNode child) {
        int at = slot(hash(level, 0, level.length()));
        while (literals[at] != null) {
            at = next(at);
        }
        levels[at] = level;
        literals[at] = child;
    }

    /** The node below for a level of a topic, which is not taken out of it. */
    @Nullable
    RuleNode literal(String topic, int start, int end) {
        if (levels.length == 0) {
            return null;
        }
        int at = slot(hash(topic, start, end));
        while (literals[at] != null) {
            if (levels[at].length() == end - start && topic.startsWith(levels[at], start)) {
                return literals[at];
            }
            at = next(at);
        }
        return null;
    }

    /** Whether the way on in {@link #literals} at this index is a level that begins with {@code $}. */
    boolean isReserved(int index) {
        return levels[index].startsWith("$");
    }

    private int slot(int hash) {
        return hash & (levels.length - 1);
    }

    private int next(int at) {
        return (at + 1) & (levels.length - 1);
    }

    private static int hash(String text, int start, int end) {
        int hash = end - start;
        for (int i = start; i < end; i++) {
            hash = 31 * hash + text.charAt(i);
        }
        hash *= SPREAD;
        return hash ^ (hash >>> 16);
    }
}
