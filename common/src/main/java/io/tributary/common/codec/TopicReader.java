package io.tributary.common.codec;

import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.topic.TopicLimits;
import io.tributary.common.topic.TopicName;
import java.util.Arrays;

/**
 * Reads topic names and remembers the last one of PUBLISH: a device often publishes to the same topic again and again,
 * and then gets the same string, which is checked already and knows its hash code.
 */
final class TopicReader {
    /** Longer topics are not remembered: a connection costs little memory, whatever its client does. */
    private static final int LONGEST_REMEMBERED = 256;

    private final WireReader in;
    private final TopicLimits limits;
    private byte[] lastBytes = {};
    private String last = "";

    TopicReader(WireReader in, TopicLimits limits) {
        this.in = in;
        this.limits = limits;
    }

    /** Reads the topic name of a PUBLISH, which may be empty where an alias stands for it. */
    String readOrAlias(boolean mayBeEmpty) {
        byte[] bytes = bytes();
        if (bytes.length == 0 && mayBeEmpty) {
            return "";
        }
        if (bytes.length > 0 && Arrays.equals(bytes, lastBytes)) {
            return last;
        }
        String topic = checked(bytes);
        if (bytes.length <= LONGEST_REMEMBERED) {
            last = topic;
            lastBytes = bytes;
        }
        return topic;
    }

    /** Reads a topic name. */
    String read() {
        return checked(bytes());
    }

    /** Checks a topic name that was read as a property. */
    void check(String topic) {
        TopicName.check(topic, limits);
    }

    private byte[] bytes() {
        return in.uncheckedText(limits.maxBytes(), ReasonCode.TOPIC_NAME_INVALID);
    }

    private String checked(byte[] bytes) {
        String topic = WireReader.utf8(bytes);
        check(topic);
        return topic;
    }
}
