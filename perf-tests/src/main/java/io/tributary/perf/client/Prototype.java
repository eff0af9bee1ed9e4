package io.tributary.perf.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.perf.judge.Stamp;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A PUBLISH as the codec encoded it, of which each message is a copy with another packet identifier and stamp: sending
 * costs the copying of its bytes. Immutable.
 */
final class Prototype {
    private static final int DUP = 0x08;

    private final byte[] bytes;
    private final int packetIdAt;
    private final int payloadAt;

    private Prototype(byte[] bytes, int packetIdAt, int payloadAt) {
        this.bytes = bytes;
        this.packetIdAt = packetIdAt;
        this.payloadAt = payloadAt;
    }

    /**
     * Encodes one.
     *
     * @param responseTopic for MQTT 5, or null
     */
    static Prototype of(
            MqttEncoder encoder,
            String topic,
            QoS qos,
            boolean retain,
            int payloadBytes,
            @Nullable String responseTopic) {
        PublishProperties properties = responseTopic == null
                ? PublishProperties.NONE
                : new PublishProperties(null, null, responseTopic, new byte[] {1}, List.of());
        Publish publish = new Publish(
                topic,
                new byte[payloadBytes],
                qos,
                retain,
                false,
                qos.isAcknowledged() ? 1 : 0,
                0,
                MqttPacket.ABSENT,
                properties,
                List.of());
        ByteBuf encoded = Unpooled.buffer();
        encoder.encode(publish, encoded);
        byte[] bytes = new byte[encoded.readableBytes()];
        encoded.readBytes(bytes);
        int topicAt = 1;
        while (bytes[topicAt] < 0) { // a further byte of the remaining length follows
            topicAt++;
        }
        int behindTopic = topicAt + 1 + 2 + topic.getBytes(StandardCharsets.UTF_8).length;
        return new Prototype(bytes, qos.isAcknowledged() ? behindTopic : 0, bytes.length - payloadBytes);
    }

    /**
     * Appends a message.
     *
     * @param packetId 0 with QoS 0
     * @param first the first part of the {@link Stamp}
     * @param second the second part
     */
    void write(ByteBuf out, int packetId, boolean dup, long first, long second) {
        int at = out.writerIndex();
        out.writeBytes(bytes);
        if (packetId != 0) {
            out.setShort(at + packetIdAt, packetId);
        }
        if (dup) {
            out.setByte(at, bytes[0] | DUP);
        }
        out.setLong(at + payloadAt, first);
        out.setLong(at + payloadAt + Stamp.BYTES / 2, second);
    }
}
