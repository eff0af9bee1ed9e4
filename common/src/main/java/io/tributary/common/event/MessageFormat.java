package io.tributary.common.event;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.mqtt.Will;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a message within a record. A flags byte tells which fields follow, so that fields which most messages
 * lack (properties, expiry) cost nothing.
 */
public final class MessageFormat {
    private static final int QOS_MASK = 0x03;
    private static final int RETAIN = 0x04;
    private static final int EXPIRES = 0x08;
    private static final int PROPERTIES = 0x10;
    /** Two bits, from format 4 on: before, no message has a priority. */
    private static final int PRIORITY_SHIFT = 5;

    private static final int PRIORITY_MASK = 0x60;

    private static final int FORMAT = 0x01;
    private static final int FORMAT_UTF_8 = 0x02;
    private static final int CONTENT_TYPE = 0x04;
    private static final int RESPONSE_TOPIC = 0x08;
    private static final int CORRELATION_DATA = 0x10;
    private static final int USER_PROPERTIES = 0x20;

    /** More than all that is not as large as a client likes. */
    private static final int SMALL = 32;

    private MessageFormat() {}

    /** Writes a message. */
    public static void write(ByteWriter writer, Message message) {
        boolean expires = message.expiresAtMillis() != Message.NEVER;
        boolean hasProperties = !message.properties().equals(PublishProperties.NONE);
        writer.writeByte(message.qos().code()
                | (message.retain() ? RETAIN : 0)
                | (expires ? EXPIRES : 0)
                | (hasProperties ? PROPERTIES : 0)
                | (message.priority() << PRIORITY_SHIFT));
        writer.writeString(message.topic());
        writer.writeString(message.publisher());
        if (expires) {
            writer.writeNumber(message.expiresAtMillis());
        }
        if (hasProperties) {
            writeProperties(writer, message.properties());
        }
        writer.writeBytes(message.payload());
    }

    /** Reads what {@link #write} wrote. */
    public static Message read(ByteReader reader) {
        int flags = reader.readByte();
        String topic = reader.readString();
        String publisher = reader.readString();
        long expiresAtMillis = (flags & EXPIRES) == 0 ? Message.NEVER : reader.readNumber();
        PublishProperties properties = (flags & PROPERTIES) == 0 ? PublishProperties.NONE : readProperties(reader);
        byte[] payload = reader.readBytes();
        return new Message(
                topic,
                payload,
                qos(flags),
                (flags & RETAIN) != 0,
                properties,
                expiresAtMillis,
                publisher,
                (flags & PRIORITY_MASK) >> PRIORITY_SHIFT);
    }

    /** How many bytes a message takes in a record; as much work as writing it. */
    public static int sizeOf(Message message) {
        ByteWriter writer = new ByteWriter(message.sizeBytes() + SMALL);
        write(writer, message);
        return writer.size();
    }

    /** How many bytes a message takes in a record at most. */
    public static long largestSizeOf(Message message) {
        PublishProperties properties = message.properties();
        byte[] correlation = properties.correlationData();
        long size = (long) SMALL
                + ByteWriter.largestSizeOf(message.topic())
                + ByteWriter.largestSizeOf(message.publisher())
                + largestSizeOf(properties.contentType())
                + largestSizeOf(properties.responseTopic())
                + (correlation == null ? 0 : correlation.length)
                + message.payload().length;
        for (UserProperty property : properties.userProperties()) {
            size += ByteWriter.largestSizeOf(property.name()) + ByteWriter.largestSizeOf(property.value());
        }
        return size;
    }

    private static int largestSizeOf(@Nullable String text) {
        return text == null ? 0 : ByteWriter.largestSizeOf(text);
    }

    static void writeWill(ByteWriter writer, Will will) {
        writer.writeSigned(will.delaySeconds());
        writer.writeSigned(will.messageExpirySeconds());
        write(writer, will.message());
    }

    static Will readWill(ByteReader reader) {
        long delaySeconds = reader.readSigned();
        long messageExpirySeconds = reader.readSigned();
        return new Will(read(reader), delaySeconds, messageExpirySeconds);
    }

    /** The quality of service in the lowest two bits of a flags byte. */
    static QoS qos(int flags) {
        int code = flags & QOS_MASK;
        if (code == QOS_MASK) {
            throw new UnreadableRecordException("QoS 3");
        }
        return QoS.of(code);
    }

    private static void writeProperties(ByteWriter writer, PublishProperties properties) {
        writer.writeByte((properties.payloadFormat() != null ? FORMAT : 0)
                | (properties.payloadFormat() == PayloadFormat.UTF_8 ? FORMAT_UTF_8 : 0)
                | (properties.contentType() != null ? CONTENT_TYPE : 0)
                | (properties.responseTopic() != null ? RESPONSE_TOPIC : 0)
                | (properties.correlationData() != null ? CORRELATION_DATA : 0)
                | (properties.userProperties().isEmpty() ? 0 : USER_PROPERTIES));
        if (properties.contentType() != null) {
            writer.writeString(properties.contentType());
        }
        if (properties.responseTopic() != null) {
            writer.writeString(properties.responseTopic());
        }
        if (properties.correlationData() != null) {
            writer.writeBytes(properties.correlationData());
        }
        if (!properties.userProperties().isEmpty()) {
            writer.writeList(properties.userProperties(), MessageFormat::writeUserProperty);
        }
    }

    private static PublishProperties readProperties(ByteReader reader) {
        int flags = reader.readByte();
        PayloadFormat format = (flags & FORMAT_UTF_8) != 0 ? PayloadFormat.UTF_8 : PayloadFormat.UNSPECIFIED;
        return new PublishProperties(
                (flags & FORMAT) == 0 ? null : format,
                (flags & CONTENT_TYPE) == 0 ? null : reader.readString(),
                (flags & RESPONSE_TOPIC) == 0 ? null : reader.readString(),
                (flags & CORRELATION_DATA) == 0 ? null : reader.readBytes(),
                (flags & USER_PROPERTIES) == 0 ? List.of() : reader.readList(MessageFormat::readUserProperty));
    }

    private static void writeUserProperty(ByteWriter writer, UserProperty property) {
        writer.writeString(property.name());
        writer.writeString(property.value());
    }

    private static UserProperty readUserProperty(ByteReader reader) {
        return new UserProperty(reader.readString(), reader.readString());
    }
}
