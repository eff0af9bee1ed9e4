package io.tributary.broker.security.rules;

import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Retain;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The compiled rules of all rule sets that are for the same clients; these share it. Rules have the numbers of the
 * whole {@link RuleBook}. Immutable.
 *
 * @param audience the clients
 * @param placeholders those in the topics, at their places
 * @param publish what decides about messages that are not to be retained
 * @param publishRetained what decides about those that are
 * @param subscribe what decides about subscriptions, and about messages on their way to a subscriber
 * @param denials of the latter, the rules that deny
 */
record AudienceRules(
        Audience audience,
        List<Placeholder> placeholders,
        RuleTrie publish,
        RuleTrie publishRetained,
        RuleTrie subscribe,
        RuleTrie denials) {

    /** Compiles rules, by their numbers. */
    static AudienceRules compile(Audience audience, Map<Integer, Rule> rules) {
        Map<Placeholder, Integer> places = new LinkedHashMap<>();
        RuleTrie publish = trie(rules, places, rule -> isPublish(rule) && rule.retain() != Retain.YES);
        RuleTrie publishRetained = trie(rules, places, rule -> isPublish(rule) && rule.retain() != Retain.NO);
        RuleTrie subscribe = trie(rules, places, AudienceRules::isSubscribe);
        RuleTrie denials = trie(rules, places, rule -> isSubscribe(rule) && !rule.allows());
        return new AudienceRules(audience, List.copyOf(places.keySet()), publish, publishRetained, subscribe, denials);
    }

    private static RuleTrie trie(Map<Integer, Rule> rules, Map<Placeholder, Integer> places, Predicate<Rule> isWanted) {
        RuleTrieBuilder trie = new RuleTrieBuilder();
        rules.forEach((number, rule) -> {
            if (isWanted.test(rule)) {
                trie.add(number, rule, placeholder -> places.computeIfAbsent(placeholder, _ -> places.size()));
            }
        });
        return trie.build();
    }

    private static boolean isPublish(Rule rule) {
        return rule.action() != Action.SUBSCRIBE;
    }

    private static boolean isSubscribe(Rule rule) {
        return rule.action() != Action.PUBLISH;
    }

    /** What the placeholders stand for with a client, at their places. */
    LevelValues[] valuesOf(Subject subject) {
        return placeholders.stream()
                .map(placeholder -> placeholder.valuesOf(subject))
                .toArray(LevelValues[]::new);
    }

    /** What decides about publishing. */
    RuleTrie publishing(boolean retain) {
        return retain ? publishRetained : publish;
    }
}
