package io.tributary.cluster.kafka.app;

import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.Source;
import io.tributary.common.event.TenantNames;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.topic.Utf8Length;
import io.tributary.persistence.ingest.HeaderNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * The layout of the records of applications' topics, which anybody may read: the key is the MQTT topic as clients know
 * it, the value the payload untouched, all else is in headers. The first is the {@link RoutingHeader}; the
 * {@link StandardHeaders} follow as far as there is something to say, then the user properties in their order, under
 * their own names. In a record without the first, which a back-end produced, every header with a standard name is that
 * one, and all others are user properties.
 *
 * @param backEnds the client identifier as which back-ends publish; null where there are none
 */
record AppRecordFormat(@Nullable String backEnds) {
    private static final byte[] EMPTY = new byte[0];
    private static final int MOST_STANDARD_HEADERS = 12;
    private static final int LENGTHS_OF_A_HEADER = 4;

    /**
     * The record of a message. Neither payload nor correlation data is copied.
     *
     * @param recipient for whom it is, or null when the topic alone says so
     * @param source where it was forwarded from, or null
     * @param nowMillis the time of the broker
     * @param format in which the {@link RoutingHeader} is written
     */
    ProducerRecord<byte[], byte[]> encode(
            TopicPartition to,
            Message message,
            @Nullable Recipient recipient,
            @Nullable Source source,
            long nowMillis,
            int format) {
        Message seen = TenantNames.visible(message);
        List<UserProperty> userProperties = message.properties().userProperties();
        List<Header> headers = new ArrayList<>(MOST_STANDARD_HEADERS + userProperties.size());
        StandardHeaders.add(headers, seen, TenantNames.tenantOf(message.topic()), nowMillis);
        if (seen.publisher().equals(backEnds)) {
            StandardHeaders.addIngested(headers);
        }
        byte[] routing = new RoutingHeader(headers.size(), recipient, source).encode(format);
        headers.addFirst(new RecordHeader(HeaderNames.ROUTING, routing));
        for (UserProperty property : userProperties) {
            headers.add(new RecordHeader(HeaderNames.ofUserProperty(property.name()), utf8(property.value())));
        }
        return new ProducerRecord<>(to.topic(), to.partition(), utf8(seen.topic()), message.payload(), headers);
    }

    /** About how many bytes a record takes in a batch. */
    static int sizeBytes(ProducerRecord<byte[], byte[]> record) {
        int size = record.key().length + record.value().length;
        for (Header header : record.headers()) {
            size += Utf8Length.of(header.key()) + header.value().length + LENGTHS_OF_A_HEADER;
        }
        return size;
    }

    /**
     * Reads a record.
     *
     * @param owner the client whose topic it is in, or null when it is nobody's own
     * @throws UnreadableRecordException when it is not of this layout, or of a newer format
     */
    static Decoded decode(ConsumerRecord<byte[], byte[]> record, @Nullable String owner) {
        Header[] headers = record.headers().toArray();
        RoutingHeader routing = routing(headers, owner);
        int first = routing == null ? 0 : 1;
        int standardEnd = routing == null ? headers.length : first + routing.standardHeaders();
        StandardHeaders standard = new StandardHeaders();
        List<UserProperty> userProperties = new ArrayList<>();
        for (int i = first; i < headers.length; i++) {
            boolean known = i < standardEnd && standard.take(headers[i]);
            if (!known && (routing == null || i >= standardEnd)) {
                addUserProperty(userProperties, headers[i]);
            }
        }
        byte[] payload = record.value() == null ? EMPTY : record.value();
        Message seen = standard.message(MqttText.topic(record.key()), payload, userProperties);
        Recipient recipient = routing == null ? null : routing.recipient();
        return new Decoded(
                TenantNames.message(tenantOf(owner, recipient), seen),
                recipient,
                routing == null ? null : routing.source());
    }

    /** Nothing in a record can put a message into another tenant than its reader's. */
    private static @Nullable String tenantOf(@Nullable String owner, @Nullable Recipient recipient) {
        if (owner != null) {
            return GroupIdentifier.tenantOf(owner);
        }
        return recipient == null ? null : GroupIdentifier.tenantOf(recipient.clientId());
    }

    private static @Nullable RoutingHeader routing(Header[] headers, @Nullable String owner) {
        if (headers.length == 0 || !headers[0].key().equals(HeaderNames.ROUTING)) {
            return null;
        }
        byte[] value = headers[0].value();
        return RoutingHeader.decode(value == null ? EMPTY : value, owner);
    }

    /** A header that is not text cannot be a user property of MQTT, and is left out. */
    private static void addUserProperty(List<UserProperty> userProperties, Header header) {
        String value = MqttText.orNull(header.value());
        String name = HeaderNames.userPropertyOf(header.key());
        if (value != null && MqttText.isValid(name)) {
            userProperties.add(new UserProperty(name, value));
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The content of a record.
     *
     * @param recipient for whom the message is, or null when the record does not say
     * @param source where it was forwarded from, or null
     */
    record Decoded(
            Message message,
            @Nullable Recipient recipient,
            @Nullable Source source) {}
}
