package io.tributary.broker.security.rules;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All rule sets, compiled. Rules are numbered through in the order of the sets, so that the smallest number decides,
 * whichever set it is from. Immutable.
 */
final class RuleBook {
    private final long version;
    private final List<AudienceRules> audiences;
    private final List<Decision.OfRule> decisions;

    RuleBook(long version, List<RuleSet> sets) {
        this.version = version;
        Map<Audience, Map<Integer, Rule>> byAudience = new LinkedHashMap<>();
        List<Decision.OfRule> made = new ArrayList<>();
        for (RuleSet set : sets) {
            Map<Integer, Rule> rules = byAudience.computeIfAbsent(set.audience(), _ -> new TreeMap<>());
            for (int i = 0; i < set.rules().size(); i++) {
                rules.put(made.size(), set.rules().get(i));
                made.add(Decision.OfRule.of(set.rules().get(i), set.nameOf(i)));
            }
        }
        decisions = List.copyOf(made);
        audiences = byAudience.entrySet().stream()
                .map(entry -> AudienceRules.compile(entry.getKey(), entry.getValue()))
                .toList();
    }

    /** Its number: each one that replaces another has the next. */
    long version() {
        return version;
    }

    boolean isEmpty() {
        return decisions.isEmpty();
    }

    /** The rules that are for a client. */
    List<AudienceRules> of(Subject subject) {
        return audiences.stream()
                .filter(rules -> rules.audience().includes(subject))
                .toList();
    }

    /** What follows from the rule with that number. */
    Decision.OfRule decision(int rule) {
        return rule == RuleTrie.NONE ? Decision.OfRule.NONE : decisions.get(rule);
    }
}
