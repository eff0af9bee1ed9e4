package io.tributary.broker.routing;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.setting.InvalidSettingException;
import io.tributary.common.topic.TopicFilter;
import java.util.regex.Pattern;

/**
 * The priority of messages on some topics, and a name under which those are counted that missed their deadline.
 *
 * @param name 1 to 64 letters, digits, {@code -} and {@code _}
 * @param topicFilter of topics as clients know them: without the tenant
 * @param priority 0 to {@link Message#HIGHEST_PRIORITY}
 */
public record PriorityRule(String name, TopicFilter topicFilter, int priority) {
    /** What a name may be, in words. */
    public static final String NAMES = "1 to 64 letters, digits, - and _";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    public PriorityRule {
        if (!NAME.matcher(name).matches()) {
            throw new InvalidSettingException("name", "'" + name + "' is not " + NAMES);
        }
        if (topicFilter.isShared()) {
            throw new InvalidSettingException(
                    "topic-filter", "'" + topicFilter + "' is a shared subscription; it must be a filter of topics");
        }
        InvalidSettingException.checkWithin("priority", priority, 0, Message.HIGHEST_PRIORITY);
    }

    /**
     * A rule.
     *
     * @throws InvalidSettingException when a value is not allowed, with the name of its setting
     */
    public static PriorityRule of(String name, String topicFilter, int priority) {
        return new PriorityRule(name, parsed(topicFilter), priority);
    }

    private static TopicFilter parsed(String text) {
        try {
            return TopicFilter.parse(text);
        } catch (MqttException e) {
            throw new InvalidSettingException("topic-filter", "'" + text + "' cannot be: " + e.getMessage());
        }
    }

    /** Whether it is about a message on this topic, which may be a tenant's. */
    public boolean matches(String topic) {
        return topicFilter.matchesVisible(topic);
    }
}
