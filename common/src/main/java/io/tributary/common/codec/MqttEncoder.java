package io.tributary.common.codec;

import io.netty.buffer.ByteBuf;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Acknowledgement;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;

/**
 * Turns packets into bytes, in the form of one protocol version and within the maximum packet size of one receiver.
 * Immutable and without state; reason strings and user properties that make an answer too large are left out
 * [MQTT-3.2.2-19, MQTT-3.2.2-20, MQTT-3.4.2-2, MQTT-3.4.2-3].
 */
public final class MqttEncoder {
    private static final Trimming[] TRIMMINGS = Trimming.values();
    private static final int SHORT_ACKNOWLEDGEMENT_BYTES = 4;

    private final ProtocolVersion version;
    private final int maximumPacketSize;

    /**
     * Creates an encoder for one receiver.
     *
     * @param version the protocol version of the connection
     * @param maximumPacketSize what the receiver accepts at most, fixed header included
     */
    public MqttEncoder(ProtocolVersion version, int maximumPacketSize) {
        this.version = version;
        this.maximumPacketSize = maximumPacketSize;
    }

    /**
     * Appends the packet to the buffer, growing it at most once.
     *
     * @return false when the packet is too large for the receiver even without words; then nothing was written
     *     [MQTT-3.1.2-24]
     * @throws IllegalArgumentException when the version has no such packet, as AUTH in MQTT 3
     */
    public boolean encode(MqttPacket packet, ByteBuf out) {
        if (packet instanceof Publish publish) {
            return encode(template(publish), variant(publish), out);
        }
        if (packet instanceof Acknowledgement acknowledgement && isShort(acknowledgement)) {
            return encodeShort(acknowledgement, out);
        }
        Trimming trimming = trimming(packet);
        int bodySize = bodySize(packet, trimming);
        int size = packetSize(bodySize);
        if (size > maximumPacketSize) {
            return false;
        }
        out.ensureWritable(size);
        out.writeByte(BodyWriter.typeOf(packet).firstByte());
        Varint.write(bodySize, out);
        new BodyWriter(version, trimming, new BufferSink(out)).write(packet);
        return true;
    }

    /**
     * Appends a PUBLISH made from a template of this encoder's version.
     *
     * @return false when it is too large for the receiver, who shall not get it then [MQTT-3.1.2-24, MQTT-3.1.2-25]
     */
    public boolean encode(PublishTemplate template, PublishVariant variant, ByteBuf out) {
        boolean fits = fits(template, variant);
        if (fits) {
            template.write(variant, out);
        }
        return fits;
    }

    /** The same without the payload, which the caller sends behind it. */
    public boolean encodeHead(PublishTemplate template, PublishVariant variant, ByteBuf out) {
        boolean fits = fits(template, variant);
        if (fits) {
            template.writeHead(variant, out);
        }
        return fits;
    }

    private boolean fits(PublishTemplate template, PublishVariant variant) {
        if (template.isMqtt5() != version.isMqtt5()) {
            throw new IllegalArgumentException("template of another protocol version");
        }
        return template.size(variant) <= maximumPacketSize;
    }

    /** The exact number of bytes that {@link #encode(MqttPacket, ByteBuf)} writes for the packet if they fit. */
    public int sizeOf(MqttPacket packet) {
        if (packet instanceof Publish publish) {
            return template(publish).size(variant(publish));
        }
        return packetSize(bodySize(packet, trimming(packet)));
    }

    private PublishTemplate template(Publish packet) {
        return PublishTemplate.of(packet.topic(), packet.payload(), packet.properties(), version.isMqtt5());
    }

    private static PublishVariant variant(Publish packet) {
        return new PublishVariant(
                packet.qos(),
                packet.retain(),
                packet.dup(),
                packet.packetId(),
                packet.topicAlias(),
                true,
                packet.messageExpirySeconds(),
                packet.subscriptionIds());
    }

    /** Whether the packet has only its packet identifier in it, as nearly all acknowledgements. */
    private boolean isShort(Acknowledgement packet) {
        boolean saysNothing = packet.reason() == ReasonCode.SUCCESS
                && packet.reasonString() == null
                && packet.userProperties().isEmpty();
        return saysNothing || !version.isMqtt5();
    }

    private boolean encodeShort(Acknowledgement packet, ByteBuf out) {
        if (SHORT_ACKNOWLEDGEMENT_BYTES > maximumPacketSize) {
            return false;
        }
        out.writeInt(BodyWriter.typeOf(packet).firstByte() << 24 | 2 << 16 | packet.packetId());
        return true;
    }

    /** The least trimming with which the packet fits, or the most there is. */
    private Trimming trimming(MqttPacket packet) {
        for (Trimming trimming : TRIMMINGS) {
            if (packetSize(bodySize(packet, trimming)) <= maximumPacketSize) {
                return trimming;
            }
        }
        return Trimming.ALL_WORDS;
    }

    private int bodySize(MqttPacket packet, Trimming trimming) {
        SizeSink size = new SizeSink();
        new BodyWriter(version, trimming, size).write(packet);
        return size.bytes();
    }

    private static int packetSize(int bodySize) {
        return 1 + Varint.size(bodySize) + bodySize;
    }
}
