package io.tributary.broker.retained;

import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicLevels;
import io.tributary.common.topic.TopicName;
import org.jspecify.annotations.Nullable;

/**
 * Finds the topics that match a filter in a sorted set of topics, by leaps: for a topic that does not match it knows
 * which is the first one behind it that may. A branch of topics that cannot match costs one leap, whatever its size.
 *
 * <p>Topics are sorted as strings. All topics below {@code a} begin with {@code a/} and stand together, but not always
 * right behind {@code a}: {@code a-b} comes between.
 */
final class FilterScan {
    /** The character after the separator: in the order of keys it stands behind all topics of a branch. */
    private static final char BEHIND_BRANCH = TopicLevels.SEPARATOR + 1;

    private final String[] levels;

    FilterScan(TopicFilter filter) {
        levels = TopicLevels.split(filter.filter());
    }

    /** The first string that can match: the literal levels that the filter begins with. */
    String first() {
        StringBuilder prefix = new StringBuilder();
        for (int i = 0; i < levels.length && !isSingle(i) && !isMulti(i); i++) {
            prefix.append(i == 0 ? "" : "/").append(levels[i]);
        }
        return prefix.toString();
    }

    /**
     * The topic itself when it matches; otherwise a string behind it with no match in between, or null when there is no
     * match behind it at all.
     */
    @Nullable
    String next(String topic) {
        int start = 0;
        for (int i = 0; ; i++) {
            if ((isSingle(i) || isMulti(i)) && !TopicName.isOpenToWildcards(topic, start)) {
                return behindAllThatBeginAs(topic, start); // [MQTT-4.7.2-1]
            }
            if (isMulti(i)) {
                return topic;
            }
            int end = TopicLevels.levelEnd(topic, start);
            if (!isSingle(i) && !isLevel(topic, start, end, levels[i])) {
                return nextWithLevel(topic, start, i);
            }
            if (end == topic.length()) {
                return matchesParent(i) ? topic : topic + '\0';
            }
            if (i == levels.length - 1) {
                return topic.substring(0, end) + BEHIND_BRANCH;
            }
            start = end + 1;
        }
    }

    /** Behind all topics whose level there begins with the same character, a $ or a tenant's mark. */
    private static String behindAllThatBeginAs(String topic, int start) {
        return topic.substring(0, start) + (char) (topic.charAt(start) + 1);
    }

    /** Where the topic's level differs from the filter's: ahead in the same branch, or else behind the branch. */
    private @Nullable String nextWithLevel(String topic, int start, int level) {
        String wanted = topic.substring(0, start) + levels[level];
        if (wanted.compareTo(topic) > 0) {
            return wanted;
        }
        String below = wanted + TopicLevels.SEPARATOR;
        if (level < levels.length - 1 && below.compareTo(topic) > 0) {
            return below;
        }
        return start == 0 ? null : topic.substring(0, start - 1) + BEHIND_BRANCH;
    }

    /**
     * Whether a topic that ends at the given level of the filter matches: {@code a/#} matches {@code a} [MQTT-4.7.1-2].
     */
    private boolean matchesParent(int level) {
        return level == levels.length - 1 || (level == levels.length - 2 && isMulti(level + 1));
    }

    private boolean isSingle(int level) {
        return levels[level].equals(TopicLevels.SINGLE_LEVEL_WILDCARD);
    }

    private boolean isMulti(int level) {
        return levels[level].equals(TopicLevels.MULTI_LEVEL_WILDCARD);
    }

    private static boolean isLevel(String topic, int start, int end, String level) {
        return level.length() == end - start && topic.startsWith(level, start);
    }
}
