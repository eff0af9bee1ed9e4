package io.tributary.common.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.perf.jmh.Messages;
import io.tributary.perf.jmh.Microbenchmark;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** PUBLISH of QoS 1 between bytes and record, by version and size. */
public class PublishCodecBenchmark extends Microbenchmark {
    private static final int PACKET_ID = 4711;

    /** MQTT 3.1.1, MQTT 5 without properties, and MQTT 5 with 90 bytes of them. */
    @Param({"3.1.1", "5", "5-properties"})
    public String form = "";

    /** The payload's size. */
    @Param({"62", "1024", "16384"})
    public int payloadBytes;

    private Publish packet;
    private ByteBuf wire;
    private ByteBuf out;
    private MqttDecoder decoder;
    private MqttEncoder encoder;
    private PublishTemplate template;
    private PublishVariant variant;

    /** Makes the packet, its bytes, and both sides' codecs. */
    @Setup
    public void prepare() {
        ProtocolVersion version = form.equals("3.1.1") ? ProtocolVersion.MQTT_3_1_1 : ProtocolVersion.MQTT_5;
        PublishProperties properties = form.endsWith("properties") ? Messages.PROPERTIES : PublishProperties.NONE;
        packet = new Publish(
                Messages.TOPIC,
                Messages.payload(payloadBytes),
                QoS.AT_LEAST_ONCE,
                false,
                false,
                PACKET_ID,
                0,
                MqttPacket.ABSENT,
                properties,
                List.of());
        encoder = new MqttEncoder(version, ConnectProperties.LARGEST_PACKET);
        wire = Unpooled.directBuffer();
        encoder.encode(packet, wire);
        out = Unpooled.directBuffer(wire.readableBytes());
        decoder = PacketCodecBenchmark.connected(version);
        Message message = Messages.message(payloadBytes);
        template = PublishTemplate.of(message.topic(), message.payload(), properties, version.isMqtt5());
        variant = PublishVariant.plain(QoS.AT_LEAST_ONCE, false, false, PACKET_ID);
    }

    /** From a socket's buffer: topic checked, payload copied. */
    @Benchmark
    public @Nullable MqttPacket decode() {
        return decoder.decode(wire.readerIndex(0));
    }

    /** To a socket's buffer, for one receiver. */
    @Benchmark
    public boolean encode() {
        return encoder.encode(packet, out.clear());
    }

    /** To a socket's buffer, for one more receiver of a message that is encoded already. */
    @Benchmark
    public boolean encodeAgain() {
        return encoder.encode(template, variant, out.clear());
    }
}
