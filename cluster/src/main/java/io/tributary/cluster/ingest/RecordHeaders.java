package io.tributary.cluster.ingest;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.TenantNames;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.topic.TopicLimits;
import io.tributary.common.topic.TopicName;
import io.tributary.persistence.ingest.HeaderNames;
import io.tributary.persistence.ingest.IngestRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the headers of a record say of its message. Those with a standard name are that, the others user properties; the
 * last one of a name counts.
 *
 * <p>A record that was copied here from an application's topic begins with the routing header, which tells how many of
 * those behind it the broker wrote. All others are a client's user properties, also under standard names: a client does
 * not say which tenant gets its message. Where that header is at another place, nobody can tell whose the others are,
 * and the record is refused.
 */
final class RecordHeaders {
    private static final long MILLIS = 1000;
    /** The only one that the broker never writes itself. */
    private static final String EXPIRY_SECONDS = "mqtt.expiry-seconds";

    private @Nullable String tenant;
    private QoS qos = QoS.AT_LEAST_ONCE;
    private boolean retain;
    private long expiresAtMillis = Message.NEVER;
    private @Nullable PayloadFormat payloadFormat;
    private @Nullable String contentType;
    private @Nullable String responseTopic;
    private byte @Nullable [] correlationData;
    private final List<UserProperty> userProperties = new ArrayList<>();

    /** Reads the headers of a record. */
    RecordHeaders(IngestRecord record) throws InvalidRecordException {
        List<IngestRecord.Header> headers = record.headers();
        boolean isCopy = !headers.isEmpty() && headers.getFirst().name().equals(HeaderNames.ROUTING);
        int lastStandard = isCopy ? standardHeaders(headers.getFirst().value()) : headers.size() - 1;
        for (int i = isCopy ? 1 : 0; i < headers.size(); i++) {
            IngestRecord.Header header = headers.get(i);
            if (i <= lastStandard) {
                take(header.name(), header.value(), record.timeMillis());
            } else {
                addUserProperty(HeaderNames.userPropertyOf(header.name()), header.value());
            }
        }
    }

    /** How many headers behind the routing header are the broker's; what else it says is not for this way. */
    private static int standardHeaders(byte @Nullable [] routing) throws InvalidRecordException {
        try {
            ByteReader reader = new ByteReader(routing == null ? new byte[0] : routing);
            reader.expectFormat(RecordFormat.NEWEST);
            reader.readByte();
            return reader.readInt();
        } catch (UnreadableRecordException e) {
            throw new InvalidRecordException(
                    HeaderNames.ROUTING + " is the broker's own header, and this one is not: " + e.getMessage());
        }
    }

    private void take(String name, byte @Nullable [] value, long recordMillis) throws InvalidRecordException {
        switch (name) {
            case HeaderNames.TENANT -> tenant = tenantOf(RecordText.of(name, value));
            case HeaderNames.QOS -> qos = qosOf(RecordText.of(name, value));
            case HeaderNames.RETAIN -> retain = flagOf(name, RecordText.of(name, value));
            case HeaderNames.EXPIRES -> expiresAtMillis = RecordText.number(name, value);
            case EXPIRY_SECONDS -> expiresAtMillis = expiryOf(RecordText.number(name, value), recordMillis);
            case HeaderNames.PAYLOAD_FORMAT -> payloadFormat = formatOf(RecordText.of(name, value));
            case HeaderNames.CONTENT_TYPE -> contentType = RecordText.of(name, value);
            case HeaderNames.RESPONSE_TOPIC -> responseTopic = topicOf(RecordText.of(name, value));
            case HeaderNames.CORRELATION_DATA -> correlationData = dataOf(value);
            case HeaderNames.PUBLISHER, HeaderNames.TIME, HeaderNames.INGESTED -> {} // the broker's own words
            case HeaderNames.ROUTING ->
                throw new InvalidRecordException(
                        HeaderNames.ROUTING + " is the broker's own header, and not the first");
            default -> addUserProperty(name, value);
        }
    }

    private void addUserProperty(String name, byte @Nullable [] value) throws InvalidRecordException {
        userProperties.add(new UserProperty(textOf(name), RecordText.of("header " + name, value)));
    }

    /** The tenant whose clients get it; null for clients of none. */
    @Nullable
    String tenant() {
        return tenant;
    }

    QoS qos() {
        return qos;
    }

    boolean retain() {
        return retain;
    }

    long expiresAtMillis() {
        return expiresAtMillis;
    }

    int userPropertyCount() {
        return userProperties.size();
    }

    PublishProperties properties() {
        boolean hasNone = payloadFormat == null
                && contentType == null
                && responseTopic == null
                && correlationData == null
                && userProperties.isEmpty();
        return hasNone
                ? PublishProperties.NONE
                : new PublishProperties(payloadFormat, contentType, responseTopic, correlationData, userProperties);
    }

    private static String textOf(String name) throws InvalidRecordException {
        return RecordText.of("the name of a header", name.getBytes(StandardCharsets.UTF_8));
    }

    private static String tenantOf(String text) throws InvalidRecordException {
        if (!TenantNames.isName(text)) {
            throw new InvalidRecordException(HeaderNames.TENANT + " is no name of a tenant");
        }
        return text;
    }

    private static QoS qosOf(String text) throws InvalidRecordException {
        return switch (text) {
            case "0" -> QoS.AT_MOST_ONCE;
            case "1" -> QoS.AT_LEAST_ONCE;
            case "2" -> QoS.EXACTLY_ONCE;
            default -> throw new InvalidRecordException(HeaderNames.QOS + " is not 0, 1 or 2");
        };
    }

    private static boolean flagOf(String name, String text) throws InvalidRecordException {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new InvalidRecordException(name + " is not true or false");
        };
    }

    private static PayloadFormat formatOf(String text) throws InvalidRecordException {
        return switch (text) {
            case "utf-8" -> PayloadFormat.UTF_8;
            case "unspecified" -> PayloadFormat.UNSPECIFIED;
            default -> throw new InvalidRecordException(HeaderNames.PAYLOAD_FORMAT + " is not utf-8 or unspecified");
        };
    }

    private static String topicOf(String topic) throws InvalidRecordException {
        if (!TopicName.isValid(topic, TopicLimits.MQTT)) {
            throw new InvalidRecordException(HeaderNames.RESPONSE_TOPIC + " is not a topic name");
        }
        return topic;
    }

    private static byte[] dataOf(byte @Nullable [] value) throws InvalidRecordException {
        if (value == null || value.length > RecordText.MAX_BYTES) {
            throw new InvalidRecordException(
                    HeaderNames.CORRELATION_DATA + " is missing or longer than " + RecordText.MAX_BYTES);
        }
        return value;
    }

    private static long expiryOf(long seconds, long recordMillis) throws InvalidRecordException {
        if (recordMillis < 0) {
            throw new InvalidRecordException(EXPIRY_SECONDS + " counts from the record's time, and it has none");
        }
        if (seconds > 0xFFFF_FFFFL) {
            throw new InvalidRecordException(EXPIRY_SECONDS + " is more than 4294967295");
        }
        return recordMillis + seconds * MILLIS;
    }
}
