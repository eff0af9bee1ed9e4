package io.tributary.broker.security.rules;

import io.tributary.common.topic.TopicName;
import java.util.List;

/**
 * What a placeholder stands for with one client: the values that can be a level of a topic, and whether there are
 * others or none. Those that cannot are empty, have a {@code /}, {@code +}, {@code #} or U+0000 in them, or, at the
 * first level, begin with {@code $}. A rule that allows compares the former alone; for one that denies, a value that
 * cannot be a level is any level. So no name that somebody chooses for himself gets him more than an ordinary one.
 *
 * <p>Values that are not {@link Subject.Known known} are any level for a rule that allows, and none for one that
 * denies.
 */
final class LevelValues {
    /** Those that are not known. */
    static final LevelValues UNKNOWN = new LevelValues(List.of(), false);

    private final String[] usable;
    private final boolean isKnown;
    private final boolean anyLevel;
    private final boolean anyFirstLevel;

    LevelValues(List<String> values) {
        this(values, true);
    }

    private LevelValues(List<String> values, boolean isKnown) {
        this.isKnown = isKnown;
        usable = values.stream().filter(LevelValues::isLevel).toArray(String[]::new);
        anyLevel = isKnown && (usable.length == 0 || usable.length < values.size());
        anyFirstLevel = anyLevel || values.stream().anyMatch(TopicName::isReserved);
    }

    /** Whether it is known what they are. */
    boolean isKnown() {
        return isKnown;
    }

    /**
     * Whether a rule takes every level for the client's; at the first level a rule that allows, all but those that
     * begin with {@code $}.
     */
    boolean isAnyLevel(boolean denies, boolean first) {
        if (!denies) {
            return !isKnown;
        }
        return first ? anyFirstLevel : anyLevel;
    }

    /** Whether a level of a topic is one of the values. */
    boolean has(String topic, int start, int end) {
        for (String value : usable) {
            int length = value.length();
            if (length == end - start
                    && topic.startsWith(value, start)
                    && !(start == 0 && TopicName.isReserved(value))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isLevel(String value) {
        return !value.isEmpty() && value.chars().noneMatch(c -> c == '/' || c == '+' || c == '#' || c == 0);
    }
}
