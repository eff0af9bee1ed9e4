package io.tributary.broker.security.rules;

import io.tributary.broker.security.rules.RuleNode.Edge;
import io.tributary.common.topic.TopicLevels;
import io.tributary.common.topic.TopicName;
import org.jspecify.annotations.Nullable;

/**
 * Numbered rules by their topics, one node a level. All questions are for the smallest number of a rule, as the first
 * rule decides; what cannot have a smaller one is not looked at. Immutable; a question takes no memory.
 *
 * <p>Placeholders are ways on of their own, which are compared with the client's values: all clients share one trie.
 */
final class RuleTrie {
    /** No rule: larger than all numbers. */
    static final int NONE = Integer.MAX_VALUE;

    private final RuleNode root;

    RuleTrie(RuleNode root) {
        this.root = root;
    }

    /**
     * The first rule whose topic matches a topic name.
     *
     * @param values the client's, by the places of placeholders
     * @param best a rule that is known to match; it is the answer unless an earlier one matches
     */
    int matching(String topic, LevelValues[] values, int best) {
        return root.least < best ? matching(root, topic, 0, values, best) : best;
    }

    private static int matching(RuleNode node, String topic, int start, LevelValues[] values, int best) {
        int end = TopicLevels.levelEnd(topic, start);
        int found = matchingBelow(node.literal(topic, start, end), topic, end, values, best);
        if (start > 0 || !TopicName.isReserved(topic)) { // [MQTT-4.7.2-1]
            found = Math.min(found, node.multi);
            found = matchingBelow(node.single, topic, end, values, found);
        }
        for (Edge edge : node.edges) {
            if (edge.node().least < found && isTaken(edge, topic, start, end, values)) {
                found = matchingBelow(edge.node(), topic, end, values, found);
            }
        }
        return found;
    }

    private static int matchingBelow(@Nullable RuleNode node, String topic, int end, LevelValues[] values, int best) {
        if (node == null || node.least >= best) {
            return best;
        }
        return end < topic.length() ? matching(node, topic, end + 1, values, best) : last(node, best);
    }

    /**
     * The first rule whose topic covers a topic filter: matches all topic names that the filter matches.
     *
     * @param filter without {@code $share/NAME/}
     */
    int covering(String filter, LevelValues[] values, int best) {
        return root.least < best ? covering(root, filter, 0, values, best) : best;
    }

    private static int covering(RuleNode node, String filter, int start, LevelValues[] values, int best) {
        boolean wildcards = start > 0 || !TopicName.isReserved(filter);
        int found = wildcards ? Math.min(best, node.multi) : best;
        int end = TopicLevels.levelEnd(filter, start);
        if (isLevel(filter, start, end, '#')) {
            return start > 0 ? found : coveringAll(node, values, found);
        }
        boolean single = isLevel(filter, start, end, '+');
        if (!single) {
            found = coveringBelow(node.literal(filter, start, end), filter, end, values, found);
        }
        if (wildcards) {
            found = coveringBelow(node.single, filter, end, values, found);
        }
        for (Edge edge : node.edges) {
            if (single ? isAny(edge, start, values) : isTaken(edge, filter, start, end, values)) {
                found = coveringBelow(edge.node(), filter, end, values, found);
            }
        }
        return found;
    }

    private static int coveringBelow(@Nullable RuleNode node, String filter, int end, LevelValues[] values, int best) {
        if (node == null || node.least >= best) {
            return best;
        }
        return end < filter.length() ? covering(node, filter, end + 1, values, best) : last(node, best);
    }

    /** {@code +/#} has all that {@code #} has, for each topic has a level. */
    private static int coveringAll(RuleNode root, LevelValues[] values, int best) {
        int found = root.single == null ? best : Math.min(best, root.single.multi);
        for (Edge edge : root.edges) {
            if (isAny(edge, 0, values)) {
                found = Math.min(found, edge.node().multi);
            }
        }
        return found;
    }

    /**
     * The first rule whose topic matches a topic name that a topic filter matches, too. For rules that deny: a rule
     * that allows may have no topics at all with a client.
     *
     * @param filter without {@code $share/NAME/}
     */
    int overlapping(String filter, LevelValues[] values, int best) {
        return root.least < best ? overlapping(root, filter, 0, values, best) : best;
    }

    private static int overlapping(RuleNode node, String filter, int start, LevelValues[] values, int best) {
        boolean wildcards = start > 0 || !TopicName.isReserved(filter);
        int found = wildcards ? Math.min(best, node.multi) : best;
        int end = TopicLevels.levelEnd(filter, start);
        boolean single = isLevel(filter, start, end, '+');
        if (isLevel(filter, start, end, '#')) {
            if (start > 0) {
                return Math.min(found, node.least);
            }
            single = true;
        }
        found = single
                ? overlappingLiterals(node, filter, start, end, values, found)
                : overlappingBelow(node.literal(filter, start, end), filter, end, values, found);
        if (wildcards) {
            found = overlappingBelow(node.single, filter, end, values, found);
        }
        for (Edge edge : node.edges) {
            if (single || isTaken(edge, filter, start, end, values)) {
                found = overlappingBelow(edge.node(), filter, end, values, found);
            }
        }
        return found;
    }

    private static int overlappingLiterals(
            RuleNode node, String filter, int start, int end, LevelValues[] values, int best) {
        int found = best;
        for (int i = 0; i < node.literals.length; i++) {
            if (node.literals[i] != null && (start > 0 || !node.isReserved(i))) {
                found = overlappingBelow(node.literals[i], filter, end, values, found);
            }
        }
        return found;
    }

    private static int overlappingBelow(
            @Nullable RuleNode node, String filter, int end, LevelValues[] values, int best) {
        if (node == null || node.least >= best) {
            return best;
        }
        if (end < filter.length()) {
            return overlapping(node, filter, end + 1, values, best);
        }
        // What "#" leads to at the first level it has itself.
        return filter.equals(TopicLevels.MULTI_LEVEL_WILDCARD) ? Math.min(best, node.least) : last(node, best);
    }

    /** The last level: rules that end here, and those whose {@code #} matches its parent, too [MQTT-4.7.1-2]. */
    private static int last(RuleNode node, int best) {
        return Math.min(best, Math.min(node.ending, node.multi));
    }

    private static boolean isTaken(Edge edge, String topic, int start, int end, LevelValues[] values) {
        boolean isNamed = start == 0 && !edge.denies() && TopicName.isReserved(topic); // what begins with $ must be
        return (isAny(edge, start, values) && !isNamed) || values[edge.place()].has(topic, start, end);
    }

    private static boolean isAny(Edge edge, int start, LevelValues[] values) {
        return values[edge.place()].isAnyLevel(edge.denies(), start == 0);
    }

    private static boolean isLevel(String filter, int start, int end, char wildcard) {
        return end - start == 1 && filter.charAt(start) == wildcard;
    }
}
