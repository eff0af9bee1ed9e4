package io.tributary.cluster.kafka.app;

import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.persistence.ingest.HeaderNames;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a record that tell what MQTT tells of a message: texts, but for the correlation data. What a record
 * does not have is QoS 1, not retained, without expiry, of nobody.
 */
final class StandardHeaders {
    private static final byte[][] QOS_TEXTS = {bytes("0"), bytes("1"), bytes("2")};
    private static final byte[] TRUE = bytes("true");
    private static final byte[] UTF_8 = bytes("utf-8");
    private static final byte[] UNSPECIFIED = bytes("unspecified");

    private QoS qos = QoS.AT_LEAST_ONCE;
    private boolean retain;
    private String publisher = "";
    private long expiresAtMillis = Message.NEVER;
    private @Nullable PayloadFormat payloadFormat;
    private @Nullable String contentType;
    private @Nullable String responseTopic;
    private byte @Nullable [] correlationData;

    /**
     * Adds those that the message needs.
     *
     * @param message as the clients of its tenant know it
     * @param tenant the tenant, null for none
     */
    static void add(List<Header> headers, Message message, @Nullable String tenant, long nowMillis) {
        headers.add(new RecordHeader(HeaderNames.QOS, QOS_TEXTS[message.qos().code()]));
        if (message.retain()) {
            headers.add(new RecordHeader(HeaderNames.RETAIN, TRUE));
        }
        if (tenant != null) {
            headers.add(new RecordHeader(HeaderNames.TENANT, bytes(tenant)));
        }
        if (!message.publisher().isEmpty()) {
            headers.add(new RecordHeader(HeaderNames.PUBLISHER, bytes(message.publisher())));
        }
        headers.add(new RecordHeader(HeaderNames.TIME, bytes(Long.toString(nowMillis))));
        if (message.expiresAtMillis() != Message.NEVER) {
            headers.add(new RecordHeader(HeaderNames.EXPIRES, bytes(Long.toString(message.expiresAtMillis()))));
        }
        addProperties(headers, message.properties());
    }

    /** Adds the one that says that the message came by ingest. */
    static void addIngested(List<Header> headers) {
        headers.add(new RecordHeader(HeaderNames.INGESTED, TRUE));
    }

    private static void addProperties(List<Header> headers, PublishProperties properties) {
        if (properties.payloadFormat() != null) {
            boolean text = properties.payloadFormat() == PayloadFormat.UTF_8;
            headers.add(new RecordHeader(HeaderNames.PAYLOAD_FORMAT, text ? UTF_8 : UNSPECIFIED));
        }
        if (properties.contentType() != null) {
            headers.add(new RecordHeader(HeaderNames.CONTENT_TYPE, bytes(properties.contentType())));
        }
        if (properties.responseTopic() != null) {
            headers.add(new RecordHeader(HeaderNames.RESPONSE_TOPIC, bytes(properties.responseTopic())));
        }
        if (properties.correlationData() != null) {
            headers.add(new RecordHeader(HeaderNames.CORRELATION_DATA, properties.correlationData()));
        }
    }

    /**
     * Takes a header if it is a standard one.
     *
     * @return whether it is
     * @throws UnreadableRecordException when it is, and its value makes no sense
     */
    boolean take(Header header) {
        byte[] value = header.value();
        switch (header.key()) {
            case HeaderNames.QOS -> qos = qosOf(text(HeaderNames.QOS, value));
            case HeaderNames.RETAIN -> retain = retainOf(text(HeaderNames.RETAIN, value));
            case HeaderNames.PUBLISHER -> publisher = text(HeaderNames.PUBLISHER, value);
            case HeaderNames.EXPIRES -> expiresAtMillis = millisOf(text(HeaderNames.EXPIRES, value));
            case HeaderNames.PAYLOAD_FORMAT -> payloadFormat = formatOf(text(HeaderNames.PAYLOAD_FORMAT, value));
            case HeaderNames.CONTENT_TYPE -> contentType = text(HeaderNames.CONTENT_TYPE, value);
            case HeaderNames.RESPONSE_TOPIC -> responseTopic = MqttText.topic(value);
            case HeaderNames.CORRELATION_DATA -> correlationData = data(value);
            case HeaderNames.TIME -> {} // for other readers: the log has a time of its own
            case HeaderNames.INGESTED -> {} // for other readers: the publisher says so, too
            case HeaderNames.TENANT -> {} // for other readers: whose record it is says the topic, or the recipient
            default -> {
                return false;
            }
        }
        return true;
    }

    /** The message that the headers taken tell of. */
    Message message(String topic, byte[] payload, List<UserProperty> userProperties) {
        boolean hasProperties = payloadFormat != null
                || contentType != null
                || responseTopic != null
                || correlationData != null
                || !userProperties.isEmpty();
        PublishProperties properties = hasProperties
                ? new PublishProperties(payloadFormat, contentType, responseTopic, correlationData, userProperties)
                : PublishProperties.NONE;
        return new Message(topic, payload, qos, retain, properties, expiresAtMillis, publisher);
    }

    private static QoS qosOf(String text) {
        return switch (text) {
            case "0" -> QoS.AT_MOST_ONCE;
            case "1" -> QoS.AT_LEAST_ONCE;
            case "2" -> QoS.EXACTLY_ONCE;
            default -> throw malformed(HeaderNames.QOS);
        };
    }

    private static boolean retainOf(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw malformed(HeaderNames.RETAIN);
        };
    }

    private static long millisOf(String text) {
        try {
            long millis = Long.parseLong(text);
            if (millis >= 0) {
                return millis;
            }
        } catch (NumberFormatException e) {
            throw malformed(HeaderNames.EXPIRES);
        }
        throw malformed(HeaderNames.EXPIRES);
    }

    private static PayloadFormat formatOf(String text) {
        return switch (text) {
            case "utf-8" -> PayloadFormat.UTF_8;
            case "unspecified" -> PayloadFormat.UNSPECIFIED;
            default -> throw malformed(HeaderNames.PAYLOAD_FORMAT);
        };
    }

    private static byte[] data(byte @Nullable [] value) {
        if (value == null || value.length > MqttText.MAX_BYTES) {
            throw malformed(HeaderNames.CORRELATION_DATA);
        }
        return value;
    }

    private static String text(String name, byte @Nullable [] value) {
        String text = MqttText.orNull(value);
        if (text == null) {
            throw malformed(name);
        }
        return text;
    }

    private static UnreadableRecordException malformed(String name) {
        return new UnreadableRecordException("header " + name + " has a value that makes no sense");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
