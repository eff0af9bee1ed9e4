package io.tributary.cluster.kafka.app;

import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.topic.TopicLimits;
import io.tributary.common.topic.TopicName;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Texts of records that anybody may have produced: what MQTT cannot carry is not let through. */
final class MqttText {
    /** The longest text or data of MQTT, in bytes. */
    static final int MAX_BYTES = 65_535;

    private static final char REPLACEMENT = '\uFFFD';

    private MqttText() {}

    /**
     * A topic name.
     *
     * @throws UnreadableRecordException when it is none
     */
    static String topic(byte @Nullable [] utf8) {
        String topic = orNull(utf8);
        if (topic == null || !TopicName.isValid(topic, TopicLimits.MQTT)) {
            throw new UnreadableRecordException("the key is not a topic name");
        }
        return topic;
    }

    /** The text, or null when it is not one that MQTT can carry. */
    static @Nullable String orNull(byte @Nullable [] utf8) {
        if (utf8 == null || utf8.length > MAX_BYTES) {
            return null;
        }
        String text = new String(utf8, StandardCharsets.UTF_8);
        boolean malformed =
                text.indexOf(REPLACEMENT) >= 0 && !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), utf8);
        return malformed || text.indexOf('\0') >= 0 ? null : text;
    }

    /** Whether MQTT can carry the text. */
    static boolean isValid(String text) {
        return orNull(text.getBytes(StandardCharsets.UTF_8)) != null;
    }
}
