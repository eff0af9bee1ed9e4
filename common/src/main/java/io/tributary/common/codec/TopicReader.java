package io.tributary.common.codec;

import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.topic.TopicLimits;
import io.tributary.common.topic.TopicName;

/**
 * Reads topic names and remembers the last one of PUBLISH: a device often publishes to the same topic again and again,
 * and then gets the same string, which is checked already and knows its hash code.
 */
final class TopicReader {
    private final WireReader in;
    private final TopicLimits limits;
    private String last = "";

    TopicReader(WireReader in, TopicLimits limits) {
        this.in = in;
        this.limits = limits;
    }

    /** Reads the topic name of a PUBLISH, which may be empty where an alias stands for it. */
    String readOrAlias(boolean mayBeEmpty) {
        if (!last.isEmpty() && in.skipIfEqual(last)) {
            return last;
        }
        String topic = text();
        if (topic.isEmpty() && mayBeEmpty) {
            return topic;
        }
        TopicName.check(topic, limits);
        last = topic;
        return topic;
    }

    /** Reads a topic name. */
    String read() {
        String topic = text();
        TopicName.check(topic, limits);
        return topic;
    }

    /** Checks a topic name that was read as a property. */
    void check(String topic) {
        TopicName.check(topic, limits);
    }

    private String text() {
        return in.text(limits.maxBytes(), ReasonCode.TOPIC_NAME_INVALID);
    }
}
