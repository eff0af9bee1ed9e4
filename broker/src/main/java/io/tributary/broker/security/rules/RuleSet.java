package io.tributary.broker.security.rules;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/**
 * Rules in an order, and the clients that they are for. Taken or refused as a whole.
 *
 * @param name its name, for people
 * @param audience whom it is for
 * @param rules 1 to 1,000 rules; their topics, and the texts that say whom they are for, have 256 KiB together at most
 */
public record RuleSet(String name, Audience audience, List<Rule> rules) {

    /** The most rules. */
    public static final int MOST_RULES = 1_000;

    /** The most bytes of all topics and of the audience's texts together, in UTF-8. */
    public static final int MOST_BYTES = 256 * 1_024;

    /** Copies the list, and checks its size. */
    public RuleSet {
        rules = List.copyOf(rules);
        if (rules.isEmpty()) {
            throw new IllegalArgumentException(
                    "has no rules, and would allow nothing; it must have 1 to " + MOST_RULES);
        }
        if (rules.size() > MOST_RULES) {
            throw new IllegalArgumentException("has " + rules.size() + " rules; it must have 1 to " + MOST_RULES);
        }
        long bytes = Stream.concat(rules.stream().map(rule -> rule.topic().toString()), audience.texts())
                .mapToLong(text -> text.getBytes(StandardCharsets.UTF_8).length)
                .sum();
        if (bytes > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "has " + bytes + " bytes in its topics and names; it must have " + MOST_BYTES + " at most");
        }
    }

    /** How people find a rule: {@code devices.rules[2]}. */
    String nameOf(int rule) {
        return name + ".rules[" + rule + "]";
    }
}
