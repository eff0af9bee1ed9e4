package io.tributary.common.topic;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;
import static io.tributary.common.setting.InvalidSettingException.checkWithin;

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
        checkWithin("max-topic-size", maxBytes, 1, 65_535);
        checkAtLeast("max-topic-levels", maxLevels, 1);
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
