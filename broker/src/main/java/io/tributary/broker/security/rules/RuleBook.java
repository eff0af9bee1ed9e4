package io.tributary.broker.security.rules;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * All rule sets, compiled. Rules are numbered through in the order of the sets, so that the smallest number decides,
 * whichever set it is from. Immutable.
 */
final class RuleBook {
    private final long version;
    private final boolean isWhole;
    private final boolean takesOwn;
    private final List<AudienceRules> audiences;

    /** The same, without the rules that deny; for clients of which it is not known whether they belong. */
    private final List<AudienceRules> allowing;

    private final List<OfRule> decisions;

    RuleBook(long version, List<RuleSet> sets, boolean isWhole, boolean takesOwn) {
        this.version = version;
        this.isWhole = isWhole;
        this.takesOwn = takesOwn;
        Map<Audience, Map<Integer, Rule>> byAudience = new LinkedHashMap<>();
        List<OfRule> made = new ArrayList<>();
        for (RuleSet set : sets) {
            Map<Integer, Rule> rules = byAudience.computeIfAbsent(set.audience(), _ -> new TreeMap<>());
            for (int i = 0; i < set.rules().size(); i++) {
                rules.put(made.size(), set.rules().get(i));
                made.add(OfRule.of(set, i));
            }
        }
        decisions = List.copyOf(made);
        audiences = compile(byAudience, _ -> true);
        allowing = compile(byAudience, Rule::allows);
    }

    private RuleBook(RuleBook before) {
        version = before.version + 1;
        isWhole = before.isWhole;
        takesOwn = before.takesOwn;
        audiences = before.audiences;
        allowing = before.allowing;
        decisions = before.decisions;
    }

    /** The same rules under the next number. */
    RuleBook again() {
        return new RuleBook(this);
    }

    private static List<AudienceRules> compile(Map<Audience, Map<Integer, Rule>> byAudience, Predicate<Rule> isWanted) {
        return byAudience.entrySet().stream()
                .map(entry -> AudienceRules.compile(entry.getKey(), filtered(entry.getValue(), isWanted)))
                .toList();
    }

    private static Map<Integer, Rule> filtered(Map<Integer, Rule> rules, Predicate<Rule> isWanted) {
        Map<Integer, Rule> wanted = new TreeMap<>(rules);
        wanted.values().removeIf(isWanted.negate());
        return wanted;
    }

    /** Its number: each one that replaces another has the next. */
    long version() {
        return version;
    }

    /** Whether these are all rules that there are, and none stands for others that cannot be read. */
    boolean isWhole() {
        return isWhole;
    }

    /** Whether rules of clients' own are asked after these. */
    boolean takesOwn() {
        return takesOwn;
    }

    boolean isEmpty() {
        return decisions.isEmpty();
    }

    /** The rules that are for a client. */
    List<AudienceRules> of(Subject subject) {
        List<AudienceRules> found = new ArrayList<>();
        for (int i = 0; i < audiences.size(); i++) {
            Audience audience = audiences.get(i).audience();
            if (audience.includes(subject)) {
                found.add(audiences.get(i));
            } else if (audience.mayInclude(subject)) {
                found.add(allowing.get(i));
            }
        }
        return found;
    }

    /** What follows from the rule with that number. */
    OfRule decision(int rule) {
        return rule == RuleTrie.NONE ? OfRule.NONE : decisions.get(rule);
    }
}
