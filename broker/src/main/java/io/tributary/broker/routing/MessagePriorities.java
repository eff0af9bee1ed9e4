package io.tributary.broker.routing;

import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives messages their priority where they enter the broker, for good: what the publisher says in a user property, else
 * that of the first rule for the topic. None has one as long as a node of the cluster does not know priorities. Any
 * thread.
 *
 * <p>Decided in docs/decisions/0022-priorities.md.
 */
public final class MessagePriorities {
    /** Gives none. */
    public static final MessagePriorities NONE = new MessagePriorities(PriorityConfig.NONE, RecordFormat.alone());

    private static final int NOT_SAID = -1;

    private final RecordFormat format;
    private final @Nullable String userProperty;

    /** Up to the last one that gives a priority: the others need not be asked. */
    private final PriorityRule[] rules;

    /** Creates one for a node that writes records of these formats. */
    public MessagePriorities(PriorityConfig config, RecordFormat format) {
        this.format = format;
        userProperty = config.userProperty();
        rules = config.rules().subList(0, giving(config.rules())).toArray(PriorityRule[]::new);
    }

    private static int giving(List<PriorityRule> rules) {
        int size = rules.size();
        while (size > 0 && rules.get(size - 1).priority() == 0) {
            size--;
        }
        return size;
    }

    /** A message that enters the broker, with its priority. One that a program has given it already stays. */
    Message give(Message message) {
        return message.priority() == 0 && (userProperty != null || rules.length > 0) && mayHave()
                ? message.withPriority(priorityOf(message))
                : allowed(message);
    }

    /** The message, without its priority if there must not be one yet. */
    Message allowed(Message message) {
        return message.priority() == 0 || mayHave() ? message : message.withPriority(0);
    }

    private boolean mayHave() {
        return format.toWrite() >= RecordFormat.PRIORITIES;
    }

    private int priorityOf(Message message) {
        int said = userProperty == null
                ? NOT_SAID
                : said(userProperty, message.properties().userProperties());
        return said == NOT_SAID ? ofRules(message.topic()) : said;
    }

    private int ofRules(String topic) {
        for (PriorityRule rule : rules) {
            if (rule.matches(topic)) {
                return rule.priority();
            }
        }
        return 0;
    }

    /** Whatever is no priority says nothing. */
    private static int said(String name, List<UserProperty> properties) {
        for (int i = 0; i < properties.size(); i++) {
            if (properties.get(i).name().equals(name)) {
                return priority(properties.get(i).value());
            }
        }
        return NOT_SAID;
    }

    private static int priority(String text) {
        int digit = text.length() == 1 ? text.charAt(0) - '0' : NOT_SAID;
        return digit >= 0 && digit <= Message.HIGHEST_PRIORITY ? digit : NOT_SAID;
    }
}
