package io.tributary.common.codec;

import static io.tributary.common.codec.WireReader.malformed;

import io.netty.buffer.ByteBuf;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.ConnackProperties;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;

/**
 * Turns the bytes of one connection into packets. Not thread-safe: it belongs to the connection's event loop. After an
 * exception the connection must be closed, for the decoder does not find the next packet again.
 */
public final class MqttDecoder {
    private static final Pingreq PINGREQ = new Pingreq();
    private static final Pingresp PINGRESP = new Pingresp();

    private final Role reader;
    private final DecoderLimits limits;
    private final WireReader body = new WireReader();
    private final PropertyReader properties;
    private final TopicReader topics;

    /** The protocol version of CONNECT; set before the rest of the packet is checked. */
    private @Nullable ProtocolVersion version;

    /** Whether CONNECT was decoded to its end. */
    private boolean connected;

    /** Creates the decoder of a server, which learns the protocol version from CONNECT, its first packet. */
    public MqttDecoder(DecoderLimits limits) {
        this(Role.SERVER, limits);
    }

    private MqttDecoder(Role reader, DecoderLimits limits) {
        this.reader = reader;
        this.limits = limits;
        properties = new PropertyReader(body, reader, limits);
        topics = new TopicReader(body, limits.topics());
    }

    /** Creates the decoder of a client, which knows the protocol version because it chose it. */
    public static MqttDecoder forClient(ProtocolVersion version, DecoderLimits limits) {
        MqttDecoder decoder = new MqttDecoder(Role.CLIENT, limits);
        decoder.use(version);
        decoder.connected = true;
        return decoder;
    }

    /**
     * Takes the next packet out of the buffer.
     *
     * @return the packet, or null when more bytes are needed; then nothing was consumed
     * @throws MqttException when MQTT or a limit forbids the packet, as soon as its first bytes show it
     */
    public @Nullable MqttPacket decode(ByteBuf in) {
        int start = in.readerIndex();
        if (!in.isReadable()) {
            return null;
        }
        int firstByte = in.getByte(start) & 0xFF;
        PacketType type = PacketType.of(firstByte, reader, connected ? version : null);
        int bodyStart = remainingLengthEnd(in, start + 1);
        if (bodyStart < 0) {
            return null;
        }
        int bodyEnd = bodyStart + remainingLength(in, start + 1, bodyStart);
        checkSize(bodyEnd - start);
        if (bodyEnd > in.writerIndex()) {
            return null;
        }
        in.readerIndex(bodyEnd);
        body.begin(in, bodyStart, bodyEnd);
        try {
            return decodeBody(type, firstByte);
        } finally {
            body.release();
        }
    }

    /**
     * How many bytes a packet lacks of which the beginning is here, by its remaining length, which is not checked; 0 or
     * less if it is here in full, and 0 if its remaining length is not.
     */
    public static int missing(ByteBuf in) {
        int length = 0;
        for (int i = 1; i < Math.min(5, in.readableBytes()); i++) {
            int value = in.getByte(in.readerIndex() + i);
            length |= (value & 0x7F) << (7 * (i - 1));
            if (value >= 0) {
                return 1 + i + length - in.readableBytes();
            }
        }
        return 0;
    }

    /**
     * The protocol version of the connection. Null until CONNECT told it; a CONNECT that was refused for its protocol
     * level gives the version in whose form the refusal is best understood.
     */
    public @Nullable ProtocolVersion version() {
        return version;
    }

    /**
     * The CONNACK that answers a CONNECT which {@link #decode} refused, or null when the connection is to be closed
     * without a word: the peer is not known to speak MQTT, MQTT 3 has no return code for the reason [MQTT-3.1.4-1], or
     * CONNECT was accepted before.
     */
    public @Nullable Connack refusal(MqttException failure) {
        if (connected || version == null) {
            return null;
        }
        ReasonCode reason = failure.reason();
        boolean sayable = version.isMqtt5() ? ReasonCodes.CONNACK.contains(reason) : Mqtt3Codes.hasConnack(reason);
        return sayable ? new Connack(false, reason, ConnackProperties.reason(failure.getMessage())) : null;
    }

    /** The index behind the remaining length, or -1 when that has not arrived in full. */
    private static int remainingLengthEnd(ByteBuf in, int from) {
        for (int at = from; at < from + 4; at++) {
            if (at == in.writerIndex()) {
                return -1;
            }
            if (in.getByte(at) >= 0) {
                return at + 1;
            }
        }
        throw malformed("remaining length has more than four bytes [MQTT-1.5.5-1]");
    }

    private int remainingLength(ByteBuf in, int from, int to) {
        int length = 0;
        for (int at = to - 1; at >= from; at--) {
            length = (length << 7) | (in.getByte(at) & 0x7F);
        }
        boolean minimal = to == from + 1 || in.getByte(to - 1) != 0;
        if (!minimal && properties.mqtt5()) { // MQTT 3 does not demand it
            throw malformed("remaining length is not minimal [MQTT-1.5.5-1]");
        }
        return length;
    }

    private void checkSize(int packetBytes) {
        int limit = connected ? limits.maxPacketBytes() : Math.min(limits.maxConnectBytes(), limits.maxPacketBytes());
        if (packetBytes > limit) {
            throw new MqttException(ReasonCode.PACKET_TOO_LARGE, "packet of more than " + limit + " bytes");
        }
    }

    private MqttPacket decodeBody(PacketType type, int firstByte) {
        return switch (type) {
            case PUBLISH -> PublishDecoder.decode(firstByte & 0x0F, body, properties, topics);
            case PUBACK, PUBREC, PUBREL, PUBCOMP -> AcknowledgementDecoder.decode(type, body, properties);
            case CONNECT -> connect();
            case CONNACK -> ConnackDecoder.decode(body, properties);
            case SUBSCRIBE -> subscriptions().subscribe();
            case SUBACK -> subscriptions().suback();
            case UNSUBSCRIBE -> subscriptions().unsubscribe();
            case UNSUBACK -> subscriptions().unsuback();
            case PINGREQ -> bodiless(PINGREQ);
            case PINGRESP -> bodiless(PINGRESP);
            case DISCONNECT -> DisconnectDecoder.disconnect(body, properties);
            case AUTH -> DisconnectDecoder.auth(body, properties);
            case RESERVED -> throw malformed("reserved packet type");
        };
    }

    private Connect connect() {
        String protocolName = ConnectDecoder.protocolName(body);
        int level = body.u8();
        ProtocolVersion nearest = ConnectDecoder.nearestVersion(protocolName, level);
        use(nearest);
        if (nearest.level() != level) {
            String words = "unsupported protocol level " + level + " [MQTT-3.1.2-2]";
            throw new MqttException(ReasonCode.UNSUPPORTED_PROTOCOL_VERSION, words);
        }
        Connect connect = ConnectDecoder.decode(nearest, body, properties, topics);
        connected = true;
        return connect;
    }

    private SubscriptionDecoder subscriptions() {
        return new SubscriptionDecoder(body, properties, limits);
    }

    private MqttPacket bodiless(MqttPacket packet) {
        body.requireEnd();
        return packet;
    }

    private void use(ProtocolVersion chosen) {
        version = chosen;
        properties.use(chosen);
    }
}
