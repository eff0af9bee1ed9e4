package io.tributary.broker.fake;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import java.nio.charset.StandardCharsets;
import java.util.Collections;

/** Messages in short. */
public final class Messages {

    private Messages() {}

    /** A message of a client named "publisher". */
    public static Message message(String topic, String payload, QoS qos) {
        return of(topic, payload, qos, false, Message.NEVER);
    }

    /** A message of QoS 1 with RETAIN. */
    public static Message retained(String topic, String payload) {
        return of(topic, payload, QoS.AT_LEAST_ONCE, true, Message.NEVER);
    }

    /** A message of QoS 1 with RETAIN that expires. */
    public static Message retainedUntil(String topic, String payload, long expiresAtMillis) {
        return of(topic, payload, QoS.AT_LEAST_ONCE, true, expiresAtMillis);
    }

    /** The same message of another publisher. */
    public static Message publishedBy(String publisher, Message message) {
        return new Message(
                message.topic(),
                message.payload(),
                message.qos(),
                message.retain(),
                message.properties(),
                message.expiresAtMillis(),
                publisher);
    }

    /** The same message with so many short user properties. */
    public static Message withUserProperties(int count, Message message) {
        return new Message(
                message.topic(),
                message.payload(),
                message.qos(),
                message.retain(),
                properties(count),
                message.expiresAtMillis(),
                message.publisher(),
                message.priority());
    }

    /** So many short user properties. */
    public static PublishProperties properties(int count) {
        return new PublishProperties(null, null, null, null, Collections.nCopies(count, new UserProperty("a", "b")));
    }

    /** The payload as text. */
    public static String text(Message message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }

    private static Message of(String topic, String payload, QoS qos, boolean retain, long expiresAtMillis) {
        return new Message(
                topic,
                payload.getBytes(StandardCharsets.UTF_8),
                qos,
                retain,
                PublishProperties.NONE,
                expiresAtMillis,
                "publisher");
    }
}
