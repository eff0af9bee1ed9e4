package io.tributary.broker.security.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What covers a filter, and what cuts into it, is what the topics say that both match: all topics are looked at that
 * can be made from few levels, one of which no filter names. One level more than the filters have is as good as any
 * number. The empty topic, which nobody can publish to, counts as one.
 */
class FilterAlgebraTest {
    private static final List<String> TOPIC_LEVELS = List.of("a", "", "$s", "unnamed");
    private static final List<String> FILTER_LEVELS = List.of("a", "", "$s", "+");
    /**
     * A client that calls itself so makes any level of a placeholder in a rule that denies, and none in one that
     * allows.
     */
    private static final Subject STRANGE = Subjects.ofClientId("+");

    private static final int FILTER_DEPTH = 3;

    private final List<String> topics = combinations(TOPIC_LEVELS, FILTER_DEPTH + 1);

    @ParameterizedTest
    @EnumSource(Effect.class)
    void followsTopicsWhenFiltersAreEnumerated(Effect effect) {
        List<String> asked = filters(FILTER_LEVELS);
        List<String> levels = new ArrayList<>(FILTER_LEVELS);
        levels.add("${clientid}");
        Map<String, BitSet> topicsOfAsked = new HashMap<>();
        asked.forEach(filter -> topicsOfAsked.put(filter, topicsOf(filter)));
        int covers = 0;
        int cuts = 0;
        for (String written : filters(levels)) {
            Rule rule = new Rule(effect, Action.SUBSCRIBE, TopicPattern.parse(written));
            BitSet ofRule = topicsOf(rule);
            for (String filter : asked) {
                BitSet ofFilter = topicsOfAsked.getOrDefault(filter, new BitSet());
                BitSet left = (BitSet) ofFilter.clone();
                left.andNot(ofRule);
                Extent extent = extent(rule, filter);
                assertThat(extent)
                        .as("%s %s, asked for %s", effect, written, filter)
                        .isEqualTo(expected(effect, left.isEmpty(), ofRule.intersects(ofFilter)));
                covers += left.isEmpty() ? 1 : 0;
                cuts += !left.isEmpty() && ofRule.intersects(ofFilter) ? 1 : 0;
            }
        }
        assertThat(covers).isGreaterThan(500);
        assertThat(cuts).isGreaterThan(500);
    }

    private static Extent expected(Effect effect, boolean covers, boolean overlaps) {
        if (effect == Effect.ALLOW) {
            return covers ? Extent.WHOLE : Extent.REFUSED;
        }
        return covers ? Extent.REFUSED : overlaps ? Extent.CUT : Extent.WHOLE;
    }

    /** A rule alone; behind one that denies, everything is allowed. */
    private static Extent extent(Rule rule, String filter) {
        List<Rule> rules = new ArrayList<>(List.of(rule));
        if (!rule.allows()) {
            rules.add(new Rule(Effect.ALLOW, Action.SUBSCRIBE, TopicPattern.parse("#")));
            rules.add(new Rule(Effect.ALLOW, Action.SUBSCRIBE, TopicPattern.parse("$s/#")));
        }
        Rules compiled = new Rules(List.of(new RuleSet("set", Audience.EVERYBODY, rules)));
        return compiled.bind(STRANGE).maySubscribe(filter, QoS.AT_MOST_ONCE).extent();
    }

    private BitSet topicsOf(String filter) {
        return topicsOf(filter, "\0");
    }

    private BitSet topicsOf(Rule rule) {
        return topicsOf(rule.topic().toString(), rule.allows() ? "\0" : "");
    }

    /**
     * The topics that a filter matches; where it has a placeholder, it matches any level if the text for that is empty.
     */
    private BitSet topicsOf(String filter, String placeholder) {
        BitSet matching = new BitSet();
        for (int i = 0; i < topics.size(); i++) {
            matching.set(i, matches(NaiveRules.levels(filter), NaiveRules.levels(topics.get(i)), placeholder));
        }
        return matching;
    }

    private static boolean matches(List<String> filter, List<String> topic, String placeholder) {
        List<String> bound = new ArrayList<>(filter);
        for (int i = 0; i < filter.size(); i++) {
            if (filter.get(i).equals("${clientid}")) {
                bound.set(i, placeholder.isEmpty() && i < topic.size() ? topic.get(i) : "\0");
            }
        }
        return NaiveRules.matches(bound, topic, 0);
    }

    private static List<String> filters(List<String> levels) {
        List<String> filters = new ArrayList<>(combinations(levels, FILTER_DEPTH));
        combinations(levels, FILTER_DEPTH - 1).forEach(begin -> filters.add(begin + "/#"));
        filters.remove("");
        filters.add("#");
        return filters;
    }

    /** All that have one to so many of these levels. */
    private static List<String> combinations(List<String> levels, int depth) {
        List<String> all = new ArrayList<>(levels);
        List<String> longest = levels;
        for (int i = 1; i < depth; i++) {
            longest = longest.stream()
                    .flatMap(begin -> levels.stream().map(level -> begin + "/" + level))
                    .toList();
            all.addAll(longest);
        }
        return all;
    }
}
