package io.tributary.broker.security.store;

import io.tributary.broker.security.TextPattern;
import io.tributary.broker.security.rules.AddressRange;
import io.tributary.broker.security.rules.Audience;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.security.rules.TopicPattern;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A rule set as it is written, in the settings' words; replaced as a whole.
 *
 * @param name its name
 * @param order rule sets count in this order, those with the same in that of their names
 * @param audience whom it is for: {@link #AUDIENCES}, each with values; none for everybody
 * @param rules 1 to 1,000
 */
public record StoredRuleSet(String name, int order, Map<String, List<String>> audience, List<Line> rules)
        implements SecurityObject {
    /** What may say whom a rule set is for. */
    public static final Set<String> AUDIENCES = Set.of("groups", "users", "client-ids", "listeners", "addresses");

    /** What a rule may be about. */
    public static final Set<String> ACTIONS = Set.of("publish", "subscribe", "all");

    private static final int MOST_TOPIC_BYTES = 65_535; // as in MQTT

    /**
     * A rule.
     *
     * @param allows whether it allows or denies
     * @param action one of {@link #ACTIONS}
     * @param topic a topic filter, perhaps with placeholders
     * @param maxQos the highest QoS, 0 to 2; null for no limit
     * @param retain whether it is about messages that are to be retained, or about those that are not; null for both
     */
    public record Line(
            boolean allows,
            String action,
            String topic,
            @Nullable Integer maxQos,
            @Nullable Boolean retain) {
        /**
         * Checks what is given.
         *
         * @throws IllegalArgumentException in words that begin with the field
         */
        public Line {
            if (!ACTIONS.contains(action)) {
                throw new IllegalArgumentException(
                        (allows ? "allow" : "deny") + " must be publish, subscribe or all, not '" + action + "'");
            }
            SecurityObject.checkText("topic", topic, MOST_TOPIC_BYTES);
            try {
                TopicPattern _ = TopicPattern.parse(topic);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("topic " + e.getMessage(), e);
            }
            if (maxQos != null && (maxQos < 0 || maxQos > 2 || !allows)) {
                throw new IllegalArgumentException("max-qos must be 0, 1 or 2, and only rules that allow have it");
            }
            if (retain != null && !action.equals("publish")) {
                throw new IllegalArgumentException("retain has no meaning here: only rules about publish have it");
            }
        }

        /** As decisions are made by it. */
        Rule rule() {
            return new Rule(
                    allows ? Rule.Effect.ALLOW : Rule.Effect.DENY,
                    Rule.Action.valueOf(action.toUpperCase(Locale.ROOT)),
                    TopicPattern.parse(topic),
                    maxQos == null ? QoS.EXACTLY_ONCE : QoS.of(maxQos),
                    retain == null ? Rule.Retain.ANY : retain ? Rule.Retain.YES : Rule.Retain.NO);
        }
    }

    /** Copies the collections. */
    public StoredRuleSet {
        SecurityObject.checkName("the name", name);
        rules = List.copyOf(rules);
        audience = Map.copyOf(audience);
        if (!AUDIENCES.containsAll(audience.keySet())) {
            throw new IllegalArgumentException("a rule set is for "
                    + String.join(", ", AUDIENCES.stream().sorted().toList()));
        }
        audience.forEach((what, values) -> {
            SecurityObject.checkTexts(what, values, RuleSet.MOST_RULES, MOST_TEXT_BYTES);
            if (values.isEmpty() || values.contains("")) {
                throw new IllegalArgumentException(what + " has an empty value; leave it out for all clients");
            }
        });
        try {
            RuleSet _ = compiled(name, audience, rules);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the rule set " + e.getMessage(), e);
        }
    }

    /** As decisions are made by it. */
    public RuleSet compiled() {
        return compiled(name, audience, rules);
    }

    private static RuleSet compiled(String name, Map<String, List<String>> audience, List<Line> rules) {
        return new RuleSet(
                name,
                new Audience(
                        Set.copyOf(of(audience, "groups")),
                        Set.copyOf(of(audience, "users")),
                        of(audience, "client-ids").stream().map(TextPattern::of).toList(),
                        Set.copyOf(of(audience, "listeners")),
                        of(audience, "addresses").stream()
                                .map(AddressRange::parse)
                                .toList()),
                rules.stream().map(Line::rule).toList());
    }

    private static List<String> of(Map<String, List<String>> audience, String what) {
        return audience.getOrDefault(what, List.of());
    }

    @Override
    public String id() {
        return name;
    }

    @Override
    public SecurityTable table() {
        return SecurityTable.RULES;
    }
}
