package io.tributary.broker.security.rules;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a {@link RuleBook} that are for one client, and what their placeholders stand for with it. Immutable;
 * compiled rules are shared with all other clients.
 */
final class BoundRules {
    private final RuleBook book;
    private final AudienceRules[] rules;
    private final LevelValues[][] values;

    /** Rules of the client's own, which come after all others. */
    private final @Nullable BoundRules own;

    BoundRules(RuleBook book, Subject subject, @Nullable RuleBook own) {
        this.book = book;
        this.own = own == null ? null : new BoundRules(own, subject, null);
        List<AudienceRules> all = book.of(subject);
        rules = all.toArray(AudienceRules[]::new);
        values = all.stream().map(each -> each.valuesOf(subject)).toArray(LevelValues[][]::new);
    }

    RuleBook book() {
        return book;
    }

    /** Whether all rules here are for the client, and it is known what their placeholders stand for. */
    boolean isSureAbout(Subject subject) {
        return Arrays.stream(rules).allMatch(each -> each.audience().includes(subject))
                && Arrays.stream(values).flatMap(Arrays::stream).allMatch(LevelValues::isKnown)
                && (own == null || own.isSureAbout(subject));
    }

    @Nullable
    BoundRules own() {
        return own;
    }

    /** What follows from the rule with that number. */
    OfRule decision(int rule) {
        return book.decision(rule);
    }

    /** The number of the first rule about publishing to a topic, or {@link RuleTrie#NONE}. */
    int publishing(String topic, boolean retain) {
        int best = RuleTrie.NONE;
        for (int i = 0; i < rules.length; i++) {
            best = rules[i].publishing(retain).matching(topic, values[i], best);
        }
        return best;
    }

    /** The number of the first rule about receiving what is published on a topic, or {@link RuleTrie#NONE}. */
    int receiving(String topic) {
        int best = RuleTrie.NONE;
        for (int i = 0; i < rules.length; i++) {
            best = rules[i].subscribe().matching(topic, values[i], best);
        }
        return best;
    }

    /** The number of the first rule about subscribing that covers a filter, or {@link RuleTrie#NONE}. */
    int covering(String filter) {
        int best = RuleTrie.NONE;
        for (int i = 0; i < rules.length; i++) {
            best = rules[i].subscribe().covering(filter, values[i], best);
        }
        return best;
    }

    /** Whether a rule before the given one denies some of the topics that a filter matches. */
    boolean isCut(String filter, int before) {
        for (int i = 0; i < rules.length; i++) {
            if (rules[i].denials().overlapping(filter, values[i], before) < before) {
                return true;
            }
        }
        return false;
    }
}
