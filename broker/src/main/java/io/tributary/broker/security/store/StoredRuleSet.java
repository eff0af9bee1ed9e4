package io.tributary.broker.security.store;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A rule set as it is written, in the settings' words; replaced as a whole. What a rule may say is the settings' to
 * decide: here only sizes and words are checked.
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

    private static final int MOST_RULES = 1_000;
    private static final int MOST_BYTES = 256 * 1_024;

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
        /** Checks what is given. */
        public Line {
            if (!ACTIONS.contains(action)) {
                throw new IllegalArgumentException("a rule is about publish, subscribe or all, not about " + action);
            }
            SecurityObject.checkText("the topic", topic, MOST_BYTES);
            if (topic.isEmpty()) {
                throw new IllegalArgumentException("a rule must have a topic");
            }
            if (maxQos != null && (maxQos < 0 || maxQos > 2 || !allows)) {
                throw new IllegalArgumentException("max-qos must be 0 to 2, and only rules that allow have it");
            }
            if (retain != null && !action.equals("publish")) {
                throw new IllegalArgumentException("only rules about publish have retain");
            }
        }
    }

    /** Copies the collections. */
    public StoredRuleSet {
        SecurityObject.checkName("the name", name);
        rules = List.copyOf(rules);
        audience = Map.copyOf(audience);
        if (rules.isEmpty() || rules.size() > MOST_RULES) {
            throw new IllegalArgumentException(
                    "there are " + rules.size() + " rules; a rule set must have 1 to " + MOST_RULES);
        }
        if (!AUDIENCES.containsAll(audience.keySet())) {
            throw new IllegalArgumentException("a rule set is for "
                    + String.join(", ", AUDIENCES.stream().sorted().toList()));
        }
        audience.forEach((what, values) -> {
            SecurityObject.checkTexts(what, values, MOST_RULES, MOST_TEXT_BYTES);
            if (values.isEmpty() || values.contains("")) {
                throw new IllegalArgumentException(what + " has an empty value; leave it out for all clients");
            }
        });
        long bytes = Stream.concat(
                        rules.stream().map(Line::topic),
                        audience.values().stream().flatMap(List::stream))
                .mapToLong(text -> text.getBytes(StandardCharsets.UTF_8).length)
                .sum();
        if (bytes > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "topics and names have " + bytes + " bytes; a rule set may have " + MOST_BYTES);
        }
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
