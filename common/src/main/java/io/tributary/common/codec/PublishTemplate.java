package io.tributary.common.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.PublishProperties;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A message encoded once for all its receivers that speak the same form of MQTT: topic and unaltered properties are
 * bytes already, and writing a PUBLISH copies them between the parts that differ. Immutable, so that all event loops
 * may share one.
 */
public final class PublishTemplate {
    private static final byte[] NO_BYTES = {};

    private final byte[] topic;
    private final byte[] properties;
    private final byte[] payload;
    private final boolean mqtt5;

    private PublishTemplate(byte[] topic, byte[] properties, byte[] payload, boolean mqtt5) {
        this.topic = topic;
        this.properties = properties;
        this.payload = payload;
        this.mqtt5 = mqtt5;
    }

    /**
     * Encodes the bytes that are the same for all receivers of the message, who are of one tenant, or of none;
     * {@code mqtt5} selects the form with properties.
     */
    public static PublishTemplate of(Message message, boolean mqtt5) {
        return of(TenantNames.visible(message.topic()), message.payload(), message.properties(), mqtt5);
    }

    static PublishTemplate of(String topic, byte[] payload, PublishProperties properties, boolean mqtt5) {
        byte[] topicBytes = topic.getBytes(StandardCharsets.UTF_8);
        Sink.checkedLength(topicBytes.length);
        return new PublishTemplate(topicBytes, mqtt5 ? encoded(properties) : NO_BYTES, payload, mqtt5);
    }

    /** Whether this is the form with properties, for receivers that speak MQTT 5. */
    public boolean isMqtt5() {
        return mqtt5;
    }

    /**
     * The exact number of bytes that {@link #write} writes for that variant; more than any receiver takes where MQTT
     * has no packet that large: with a subscription identifier a message may be larger than it came.
     */
    public int size(PublishVariant variant) {
        int body = bodySize(variant);
        return body > Varint.MAX ? Integer.MAX_VALUE : 1 + Varint.size(body) + body;
    }

    /** Writes a whole PUBLISH, growing the buffer at most once; may be called by several threads at the same time. */
    public void write(PublishVariant variant, ByteBuf out) {
        int body = bodySize(variant);
        out.ensureWritable(1 + Varint.size(body) + body);
        writeHead(variant, body, out);
        writePayload(out);
    }

    /** The number of bytes of the payload. */
    public int payloadSize() {
        return payload.length;
    }

    /** Writes the payload alone. */
    public void writePayload(ByteBuf out) {
        out.writeBytes(payload);
    }

    /** Writes so many bytes of the payload, from that one on. */
    public void writePayload(int from, int length, ByteBuf out) {
        out.writeBytes(payload, from, length);
    }

    /** Writes a PUBLISH without its payload, which is to follow; may be called by several threads at the same time. */
    public void writeHead(PublishVariant variant, ByteBuf out) {
        int body = bodySize(variant);
        out.ensureWritable(1 + Varint.size(body) + body - payload.length); // before a byte of it is there
        writeHead(variant, body, out);
    }

    private void writeHead(PublishVariant variant, int body, ByteBuf out) {
        out.writeByte(firstByte(variant));
        Varint.write(body, out);
        if (hasTopic(variant)) {
            out.writeShort(topic.length);
            out.writeBytes(topic);
        } else {
            out.writeShort(0);
        }
        if (variant.qos().isAcknowledged()) {
            out.writeShort(variant.packetId());
        }
        if (mqtt5) {
            writeProperties(variant, out);
        }
    }

    private static int firstByte(PublishVariant variant) {
        int dup = variant.dup() ? 0x08 : 0;
        int retain = variant.retain() ? 0x01 : 0;
        return PacketType.PUBLISH.firstByte() | dup | variant.qos().code() << 1 | retain;
    }

    private int bodySize(PublishVariant variant) {
        int size = 2 + (hasTopic(variant) ? topic.length : 0) + (variant.qos().isAcknowledged() ? 2 : 0);
        if (mqtt5) {
            int propertiesSize = propertiesSize(variant);
            size += Varint.size(propertiesSize) + propertiesSize;
        }
        return Math.addExact(size, payload.length);
    }

    private int propertiesSize(PublishVariant variant) {
        int size = properties.length;
        size += variant.messageExpirySeconds() == MqttPacket.ABSENT ? 0 : 5;
        size += variant.topicAlias() == 0 ? 0 : 3;
        List<Integer> subscriptionIds = variant.subscriptionIds();
        for (int i = 0; i < subscriptionIds.size(); i++) {
            size += 1 + Varint.size(subscriptionIds.get(i));
        }
        return size;
    }

    private void writeProperties(PublishVariant variant, ByteBuf out) {
        Varint.write(propertiesSize(variant), out);
        if (variant.messageExpirySeconds() != MqttPacket.ABSENT) {
            out.writeByte(Property.MESSAGE_EXPIRY.id());
            out.writeInt((int) variant.messageExpirySeconds());
        }
        if (variant.topicAlias() != 0) {
            out.writeByte(Property.TOPIC_ALIAS.id());
            out.writeShort(variant.topicAlias());
        }
        List<Integer> subscriptionIds = variant.subscriptionIds();
        for (int i = 0; i < subscriptionIds.size(); i++) {
            out.writeByte(Property.SUBSCRIPTION_ID.id());
            Varint.write(subscriptionIds.get(i), out);
        }
        out.writeBytes(properties);
    }

    /** In MQTT 3 there are no aliases, so the topic is always there. */
    private boolean hasTopic(PublishVariant variant) {
        return variant.sendTopic() || !mqtt5;
    }

    private static byte[] encoded(PublishProperties properties) {
        SizeSink size = new SizeSink();
        new PropertyWriter(size).unaltered(properties);
        if (size.bytes() == 0) {
            return NO_BYTES;
        }
        byte[] bytes = new byte[size.bytes()];
        new PropertyWriter(new BufferSink(Unpooled.wrappedBuffer(bytes).clear())).unaltered(properties);
        return bytes;
    }
}
