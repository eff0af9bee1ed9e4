package io.tributary.common.codec;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.topic.TopicLimits;
import java.lang.management.ManagementFactory;
import java.util.function.BiConsumer;

/**
 * The decoder on bytes that a fuzzer chooses: the first one selects version and side, the rest is what the other side
 * sent. An ordinary build runs the seeds among the resources; {@link FuzzSeedsTest} keeps them complete.
 */
class MqttDecoderFuzzTest {
    /** In the first byte: the decoder is that of a client. */
    static final int CLIENT = 0x04;

    /** In the first byte: the decoder is that of a server which waits for CONNECT. */
    static final int FRESH = 0x08;

    private static final DecoderLimits LIMITS =
            new DecoderLimits(4_096, 16_384, new TopicLimits(1_024, 64), 4_096, 50, 100);
    private static final ProtocolVersion[] VERSIONS = ProtocolVersion.values();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @FuzzTest(maxDuration = "30s")
    void decodesOrRefusesWhateverComes(byte[] data) {
        if (data.length == 0) {
            return;
        }
        decodeAll(data, (packet, version) -> {});
        checkAllocation(data);
        decodeAll(data, (packet, version) -> checkRoundTrip(packet, data[0], version));
    }

    /** Memory is only taken in proportion to what has arrived, whatever lengths and counts the bytes claim. */
    private static void checkAllocation(byte[] data) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        decodeAll(data, (packet, version) -> {});
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).as("bytes allocated for %s", data.length).isLessThan(100_000 + 100L * data.length);
    }

    private static void decodeAll(byte[] data, BiConsumer<MqttPacket, ProtocolVersion> consumer) {
        ByteBuf in = Unpooled.wrappedBuffer(data, 1, data.length - 1);
        MqttDecoder decoder = decoder(data[0]);
        try {
            MqttPacket packet = decoder.decode(in);
            while (packet != null) {
                consumer.accept(packet, requireNonNull(decoder.version()));
                packet = decoder.decode(in);
            }
        } catch (MqttException refused) {
            assertThat(refused.reason().isError()).isTrue();
            decoder.refusal(refused);
        }
    }

    private static void checkRoundTrip(MqttPacket packet, byte selector, ProtocolVersion version) {
        byte[] bytes = Wire.encode(version, packet);
        MqttDecoder another = packet instanceof Connect ? new MqttDecoder(LIMITS) : decoder(selector, version);
        MqttPacket again = Wire.decode(another, bytes);
        assertThat(again).usingRecursiveComparison().isEqualTo(packet);
        assertThat(Wire.encode(version, again)).isEqualTo(bytes);
    }

    private static MqttDecoder decoder(byte selector) {
        return (selector & FRESH) != 0 ? new MqttDecoder(LIMITS) : decoder(selector, VERSIONS[(selector & 0x03) % 3]);
    }

    private static MqttDecoder decoder(byte selector, ProtocolVersion version) {
        boolean client = (selector & FRESH) == 0 && (selector & CLIENT) != 0;
        return client ? MqttDecoder.forClient(version, LIMITS) : Wire.connectedServer(version, LIMITS);
    }
}
