package io.tributary.common.topic;

/** Takes topic names and topic filters apart into their levels. */
public final class TopicLevels {

    /** The separator of two levels. */
    public static final char SEPARATOR = '/';

    /** The level of a filter that matches any one level. */
    public static final String SINGLE_LEVEL_WILDCARD = "+";

    /** The last level of a filter that matches the parent and any number of levels below it. */
    public static final String MULTI_LEVEL_WILDCARD = "#";

    private TopicLevels() {}

    /** The levels of a topic name or filter in order; levels may be empty, {@code "/"} has two such [MQTT-4.7.1-3]. */
    public static String[] split(String text) {
        String[] levels = new String[count(text)];
        int start = 0;
        for (int i = 0; i < levels.length; i++) {
            int end = levelEnd(text, start);
            levels[i] = text.substring(start, end);
            start = end + 1;
        }
        return levels;
    }

    /** The number of levels, at least 1. */
    public static int count(String text) {
        int count = 1;
        for (int at = text.indexOf(SEPARATOR); at >= 0; at = text.indexOf(SEPARATOR, at + 1)) {
            count++;
        }
        return count;
    }

    /** The index behind the last character of the level that starts at the given index. */
    public static int levelEnd(String text, int start) {
        int end = text.indexOf(SEPARATOR, start);
        return end < 0 ? text.length() : end;
    }
}
