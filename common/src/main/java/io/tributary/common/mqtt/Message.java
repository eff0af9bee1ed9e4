package io.tributary.common.mqtt;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An application message on its way through the broker: what a publisher sent, free of any connection.
 *
 * <p>The payload is not copied: the creator of a message must not write to the array afterwards.
 *
 * @param topic a valid topic name without wildcards
 * @param payload the bytes as the publisher sent them
 * @param qos the quality of service it was published with
 * @param retain the RETAIN flag as the publisher set it
 * @param properties the properties that go through unaltered
 * @param expiresAtMillis time in milliseconds since the epoch, by the clock of the cluster, after which it is not
 *     delivered any more; {@link #NEVER} when it has no expiry interval
 * @param publisher the client identifier of the publisher, empty when the broker itself published it
 * @param priority 0, which most have, to {@link #HIGHEST_PRIORITY}: of messages that wait for a client, one of a higher
 *     priority goes first, and is dropped last
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content below; copying each payload would cost on the hot path
public record Message(
        String topic,
        byte[] payload,
        QoS qos,
        boolean retain,
        PublishProperties properties,
        long expiresAtMillis,
        String publisher,
        int priority) {

    /** The highest priority; the lowest is 0. */
    public static final int HIGHEST_PRIORITY = 3;

    /** The expiry time of a message that does not expire. */
    public static final long NEVER = Long.MAX_VALUE;

    public Message {
        if (priority < 0 || priority > HIGHEST_PRIORITY) {
            throw new IllegalArgumentException("priority " + priority + " is not 0 to " + HIGHEST_PRIORITY);
        }
    }

    /** A message of priority 0. */
    public Message(
            String topic,
            byte[] payload,
            QoS qos,
            boolean retain,
            PublishProperties properties,
            long expiresAtMillis,
            String publisher) {
        this(topic, payload, qos, retain, properties, expiresAtMillis, publisher, 0);
    }

    /**
     * A message of the embedding application that is not retained, does not expire, and has no properties.
     *
     * @param topic a valid topic name without wildcards
     * @param payload not written to afterwards
     */
    public static Message of(String topic, byte[] payload, QoS qos) {
        return new Message(topic, payload, qos, false, PublishProperties.NONE, NEVER, "");
    }

    /** Whether the message must not be delivered any more at the given wall clock time [MQTT-3.3.2-5]. */
    public boolean isExpiredAt(long nowMillis) {
        return nowMillis >= expiresAtMillis;
    }

    /** The same message under another topic, of another publisher. */
    public Message withNames(String newTopic, String newPublisher) {
        return new Message(newTopic, payload, qos, retain, properties, expiresAtMillis, newPublisher, priority);
    }

    /** The same message with another RETAIN flag. */
    public Message withRetain(boolean newRetain) {
        return newRetain == retain
                ? this
                : new Message(topic, payload, qos, newRetain, properties, expiresAtMillis, publisher, priority);
    }

    /** The same message with another payload, not written to afterwards. */
    public Message withPayload(byte[] newPayload) {
        return new Message(topic, newPayload, qos, retain, properties, expiresAtMillis, publisher, priority);
    }

    /** The same message with another expiry time. */
    public Message withExpiry(long newExpiresAtMillis) {
        return new Message(topic, payload, qos, retain, properties, newExpiresAtMillis, publisher, priority);
    }

    /** The same message with another priority. */
    public Message withPriority(int newPriority) {
        return newPriority == priority
                ? this
                : new Message(topic, payload, qos, retain, properties, expiresAtMillis, publisher, newPriority);
    }

    /** About how many bytes the message takes where it is stored, or on its way. */
    public int sizeBytes() {
        int size = topic.length() + payload.length + publisher.length() + 32;
        return size + properties.sizeBytes();
    }

    /**
     * About how many bytes the message takes in the heap, where properties are many objects; what limits of memory
     * count. Text with characters beyond Latin-1 takes up to twice as much.
     */
    public long memoryBytes() {
        return sizeBytes() + objectsBytes();
    }

    /** How much of {@link #memoryBytes} is for objects, and not in {@link #sizeBytes}. */
    public long objectsBytes() {
        return properties.objectsBytes();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Message that
                && topic.equals(that.topic)
                && Arrays.equals(payload, that.payload)
                && qos == that.qos
                && retain == that.retain
                && properties.equals(that.properties)
                && expiresAtMillis == that.expiresAtMillis
                && publisher.equals(that.publisher)
                && priority == that.priority;
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                topic, Arrays.hashCode(payload), qos, retain, properties, expiresAtMillis, publisher, priority);
    }

    @Override
    public String toString() {
        return "Message[" + topic.replace("\0", "<NUL>") + ", " + payload.length + " bytes, " + qos
                + (retain ? ", retain" : "") + "]";
    }
}
