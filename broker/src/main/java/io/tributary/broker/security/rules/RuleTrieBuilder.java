package io.tributary.broker.security.rules;

import io.tributary.broker.security.rules.RuleNode.Edge;
import io.tributary.broker.security.rules.TopicPattern.Level;
import io.tributary.broker.security.rules.TopicPattern.Literal;
import io.tributary.broker.security.rules.TopicPattern.Multi;
import io.tributary.broker.security.rules.TopicPattern.Single;
import io.tributary.broker.security.rules.TopicPattern.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Makes a {@link RuleTrie}: one level of it. For one thread. */
final class RuleTrieBuilder {
    private final Map<String, RuleTrieBuilder> literals = new HashMap<>();
    private final Map<Way, RuleTrieBuilder> values = new LinkedHashMap<>();
    private @Nullable RuleTrieBuilder single;
    private int ending = RuleTrie.NONE;
    private int multi = RuleTrie.NONE;

    /** Rules that allow and rules that deny part ways at a placeholder. */
    private record Way(int place, boolean denies) {}

    /**
     * Adds a rule.
     *
     * @param number its number
     * @param places the place of each placeholder
     */
    void add(int number, Rule rule, ToIntFunction<Placeholder> places) {
        RuleTrieBuilder node = this;
        for (Level level : rule.topic().levels()) {
            switch (level) {
                case Literal(String text) -> node = node.literals.computeIfAbsent(text, _ -> new RuleTrieBuilder());
                case Value(Placeholder placeholder) ->
                    node = node.values.computeIfAbsent(
                            new Way(places.applyAsInt(placeholder), !rule.allows()), _ -> new RuleTrieBuilder());
                case Single() -> {
                    if (node.single == null) {
                        node.single = new RuleTrieBuilder();
                    }
                    node = node.single;
                }
                case Multi() -> {
                    node.multi = Math.min(node.multi, number);
                    return;
                }
            }
        }
        node.ending = Math.min(node.ending, number);
    }

    RuleTrie build() {
        return new RuleTrie(node());
    }

    private RuleNode node() {
        List<Edge> edges = new ArrayList<>();
        values.forEach((way, below) -> edges.add(new Edge(way.place, way.denies, below.node())));
        Map<String, RuleNode> children = new HashMap<>();
        literals.forEach((level, below) -> children.put(level, below.node()));
        return new RuleNode(ending, multi, single == null ? null : single.node(), edges, children);
    }
}
