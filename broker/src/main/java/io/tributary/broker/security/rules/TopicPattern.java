package io.tributary.broker.security.rules;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicLevels;
import io.tributary.common.topic.TopicLimits;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The topics that a rule is about: a topic filter of MQTT whose levels may be placeholders, such as
 * {@code devices/${clientid}/up/#}. Immutable; two are equal when they are written alike.
 */
public final class TopicPattern {
    /** The most levels: a decision follows them by recursion. */
    static final int MOST_LEVELS = 128;

    private static final TopicLimits LIMITS = new TopicLimits(TopicLimits.MQTT.maxBytes(), MOST_LEVELS);

    private final String text;
    private final List<Level> levels;

    private TopicPattern(String text, List<Level> levels) {
        this.text = text;
        this.levels = levels;
    }

    /** One level. */
    sealed interface Level {}

    /** The level {@code +}. */
    record Single() implements Level {}

    /** The level {@code #}. */
    record Multi() implements Level {}

    /** A level that a client's value is put in for. */
    record Value(Placeholder placeholder) implements Level {}

    /** A level that is compared as it is. */
    record Literal(String text) implements Level {}

    /**
     * The pattern that is written so.
     *
     * @throws IllegalArgumentException when MQTT forbids the filter, a placeholder is not known or not a whole level,
     *     there are more than 128 levels, or the filter begins with {@code $share/}, which rules never see
     */
    public static TopicPattern parse(String text) {
        if (TopicFilter.isShared(text)) {
            throw new IllegalArgumentException(
                    "'" + text + "' is a shared subscription; rules are about the filter behind $share/NAME/");
        }
        try {
            TopicFilter.parse(text, LIMITS);
        } catch (MqttException forbidden) {
            throw new IllegalArgumentException("'" + text + "' cannot be: " + forbidden.getMessage(), forbidden);
        }
        return new TopicPattern(
                text,
                Arrays.stream(TopicLevels.split(text)).map(TopicPattern::level).toList());
    }

    private static Level level(String text) {
        return switch (text) {
            case TopicLevels.SINGLE_LEVEL_WILDCARD -> new Single();
            case TopicLevels.MULTI_LEVEL_WILDCARD -> new Multi();
            default -> Placeholder.isIn(text) ? new Value(Placeholder.parse(text)) : new Literal(text);
        };
    }

    List<Level> levels() {
        return levels;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TopicPattern that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return Objects.hash(text);
    }

    /** As it is written. */
    @Override
    public String toString() {
        return text;
    }
}
