package io.tributary.common.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.perf.jmh.Messages;
import io.tributary.perf.jmh.Microbenchmark;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** The packets besides PUBLISH that a broker sees most, in MQTT 5. */
public class PacketCodecBenchmark extends Microbenchmark {

    /** The type of packet. */
    @Param({"PINGREQ", "PUBACK", "SUBSCRIBE", "CONNECT"})
    public String type = "";

    private MqttPacket packet;
    private ByteBuf wire;
    private ByteBuf out;
    private MqttDecoder decoder;
    private MqttEncoder encoder;

    /** Makes the packet, its bytes, and both sides' codecs. */
    @Setup
    public void prepare() {
        packet = packet();
        encoder = new MqttEncoder(ProtocolVersion.MQTT_5, ConnectProperties.LARGEST_PACKET);
        wire = Unpooled.directBuffer();
        encoder.encode(packet, wire);
        out = Unpooled.directBuffer(wire.readableBytes());
        decoder = connected(ProtocolVersion.MQTT_5);
    }

    /** The decoder of a server to which a client has sent CONNECT. */
    static MqttDecoder connected(ProtocolVersion version) {
        MqttDecoder decoder = new MqttDecoder(DecoderLimits.DEFAULT);
        ByteBuf connect = Unpooled.buffer();
        new MqttEncoder(version, ConnectProperties.LARGEST_PACKET).encode(connect(version), connect);
        decoder.decode(connect);
        return decoder;
    }

    private static Connect connect(ProtocolVersion version) {
        return new Connect(
                version,
                false,
                60,
                Messages.client(1),
                null,
                "a-user-name",
                Messages.utf8("a-password"),
                ConnectProperties.defaults(3600));
    }

    private MqttPacket packet() {
        return switch (type) {
            case "PINGREQ" -> new Pingreq();
            case "PUBACK" -> new Puback(4711, ReasonCode.SUCCESS, null, List.of());
            case "SUBSCRIBE" ->
                new Subscribe(
                        4711,
                        List.of(new Subscription(
                                "europe/ua/kyiv/123456/+",
                                QoS.AT_LEAST_ONCE,
                                false,
                                false,
                                Subscription.RetainHandling.SEND)),
                        0,
                        List.of());
            case "CONNECT" -> connect(ProtocolVersion.MQTT_5);
            default -> throw new IllegalArgumentException(type);
        };
    }

    /** From a socket's buffer; a CONNECT with a decoder of its own, as each connection has. */
    @Benchmark
    public @Nullable MqttPacket decode() {
        MqttDecoder current = packet instanceof Connect ? new MqttDecoder(DecoderLimits.DEFAULT) : decoder;
        return current.decode(wire.readerIndex(0));
    }

    /** To a socket's buffer. */
    @Benchmark
    public boolean encode() {
        return encoder.encode(packet, out.clear());
    }
}
