package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.codec.MqttDecoder;
import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The bytes of packets, as an MQTT 5 client writes and reads them. */
final class Packets {
    private static final MqttEncoder ENCODER =
            new MqttEncoder(ProtocolVersion.MQTT_5, ConnectProperties.LARGEST_PACKET);

    private Packets() {}

    static Connect connect(String clientId) {
        return connect(clientId, 0);
    }

    static Connect connect(String clientId, int keepAliveSeconds) {
        ConnectProperties properties = ConnectProperties.defaults(0);
        return new Connect(ProtocolVersion.MQTT_5, true, keepAliveSeconds, clientId, null, null, null, properties);
    }

    static Publish publish(String payload) {
        return publish(payload, QoS.AT_MOST_ONCE, 0);
    }

    static Publish publish(String payload, QoS qos, int packetId) {
        return new Publish(
                "topic",
                payload.getBytes(StandardCharsets.UTF_8),
                qos,
                false,
                false,
                packetId,
                0,
                MqttPacket.ABSENT,
                PublishProperties.NONE,
                List.of());
    }

    static byte[] bytes(MqttPacket... packets) {
        ByteBuf out = Unpooled.buffer();
        for (MqttPacket packet : packets) {
            ENCODER.encode(packet, out);
        }
        return ByteBufUtil.getBytes(out);
    }

    /** Takes the packets out of what a broker sent; all of it must be packets. */
    static List<MqttPacket> decode(byte[] bytes) {
        MqttDecoder decoder = MqttDecoder.forClient(ProtocolVersion.MQTT_5, DecoderLimits.DEFAULT);
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        List<MqttPacket> packets = new ArrayList<>();
        for (MqttPacket packet = decoder.decode(in); packet != null; packet = decoder.decode(in)) {
            packets.add(packet);
        }
        if (in.isReadable()) {
            throw new AssertionError(in.readableBytes() + " bytes are no packet");
        }
        return packets;
    }
}
