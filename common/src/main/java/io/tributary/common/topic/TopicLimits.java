package io.tributary.common.topic;

/**
 * How long and how deep topic names and topic filters may be.
 *
 * @param maxBytes the most bytes in UTF-8, at most 65,535, which is what the wire format has room for
 * @param maxLevels the most levels, that is separators plus one
 */
public record TopicLimits(int maxBytes, int maxLevels) {

    /** What MQTT itself allows. */
    public static final TopicLimits MQTT = new TopicLimits(65_535, 65_536);

    /** Checks that both limits are positive. */
    public TopicLimits {
        if (maxBytes < 1 || maxBytes > 65_535) {
            throw new IllegalArgumentException("maxBytes " + maxBytes + ": must be 1 to 65535");
        }
        if (maxLevels < 1) {
            throw new IllegalArgumentException("maxLevels " + maxLevels + ": must be positive");
        }
    }

    /** Whether a topic name or filter is too long. */
    public boolean exceededBy(String text) {
        return text.length() > maxBytes || (text.length() > maxBytes / 3 && Utf8Length.of(text) > maxBytes);
    }

    /** Whether a topic name or filter has more levels than allowed. */
    boolean tooDeep(String text) {
        return maxLevels <= text.length() && TopicLevels.count(text) > maxLevels;
    }
}
