package io.tributary.common.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.ProtocolVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds for all packets, tried on random ones; a failure names the seed that repeats it. */
class RoundTripTest {
    private static final int PACKETS = 600;

    private final long seed = Long.getLong("tributary.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @BeforeEach
    void printSeed() {
        System.out.println("-Dtributary.seed=" + seed);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void decodesWhatWasEncodedWhenPacketIsValid(ProtocolVersion version) {
        for (Role sender : Role.values()) {
            RandomPackets packets = new RandomPackets(random, version, sender);
            MqttEncoder encoder = new MqttEncoder(version, Wire.ANY_SIZE);
            MqttDecoder decoder = receiver(version, sender);
            for (int i = 0; i < PACKETS; i++) {
                MqttPacket packet = packets.next();
                byte[] bytes = Wire.encode(version, packet);
                assertSame(Wire.decode(decoder, bytes), packet);
                assertThat(encoder.sizeOf(packet)).as("size of %s", packet).isEqualTo(bytes.length);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void decodesConnectWhenItIsValid(ProtocolVersion version) {
        RandomPackets packets = new RandomPackets(random, version, Role.CLIENT);
        for (int i = 0; i < PACKETS; i++) {
            MqttPacket packet = packets.connect();
            byte[] bytes = Wire.encode(version, packet);
            assertSame(Wire.decode(new MqttDecoder(DecoderLimits.DEFAULT), bytes), packet);
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void decodesSamePacketsWhenBytesComeInAnyChunks(ProtocolVersion version) {
        for (int round = 0; round < 30; round++) {
            List<MqttPacket> sent = new ArrayList<>();
            ByteBuf stream = Unpooled.buffer();
            RandomPackets packets = new RandomPackets(random, version, Role.CLIENT);
            for (int i = 0; i < 50; i++) {
                sent.add(packets.next());
                stream.writeBytes(Wire.encode(version, sent.get(i)));
            }
            List<MqttPacket> received = inChunks(stream, receiver(version, Role.CLIENT), 1 << random.nextInt(14));
            assertThat(received).hasSameSizeAs(sent);
            for (int i = 0; i < sent.size(); i++) {
                assertSame(received.get(i), sent.get(i));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void waitsWithoutConsumingWhenPacketIsCutShort(ProtocolVersion version) {
        for (Role sender : Role.values()) {
            RandomPackets packets = new RandomPackets(random, version, sender);
            MqttDecoder decoder = receiver(version, sender);
            for (int i = 0; i < PACKETS; i++) {
                byte[] bytes = Wire.encode(version, packets.next());
                ByteBuf cut = Unpooled.wrappedBuffer(bytes, 0, random.nextInt(bytes.length));
                assertThat(decoder.decode(cut)).isNull();
                assertThat(cut.readerIndex()).isZero();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void throwsNothingButMqttExceptionWhenBytesAreMutated(ProtocolVersion version) {
        for (Role sender : Role.values()) {
            RandomPackets packets = new RandomPackets(random, version, sender);
            for (int i = 0; i < 3 * PACKETS; i++) {
                boolean connect = sender == Role.CLIENT && random.nextInt(5) == 0;
                byte[] bytes = Wire.encode(version, connect ? packets.connect() : packets.next());
                mutate(bytes);
                MqttDecoder decoder = connect ? new MqttDecoder(DecoderLimits.DEFAULT) : receiver(version, sender);
                decodeAll(decoder, bytes);
            }
        }
    }

    private void decodeAll(MqttDecoder decoder, byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        try {
            while (decoder.decode(in) != null) {}
        } catch (MqttException expected) {
            assertThat(expected.reason().isError()).isTrue();
        } catch (RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + Arrays.toString(bytes), e);
        }
    }

    private void mutate(byte[] bytes) {
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            int at = random.nextInt(Math.min(bytes.length, 60)); // where the structure is
            bytes[at] = (byte) random.nextInt(256);
        }
    }

    private List<MqttPacket> inChunks(ByteBuf stream, MqttDecoder decoder, int maxChunk) {
        List<MqttPacket> received = new ArrayList<>();
        ByteBuf arrived = Unpooled.buffer();
        while (stream.isReadable()) {
            arrived.writeBytes(stream, Math.min(stream.readableBytes(), 1 + random.nextInt(maxChunk)));
            for (MqttPacket packet = decoder.decode(arrived); packet != null; packet = decoder.decode(arrived)) {
                received.add(packet);
            }
        }
        assertThat(arrived.isReadable()).isFalse();
        return received;
    }

    private static MqttDecoder receiver(ProtocolVersion version, Role sender) {
        return sender == Role.CLIENT ? Wire.connectedServer(version) : Wire.client(version);
    }

    private void assertSame(MqttPacket actual, MqttPacket expected) {
        assertThat(actual).as("seed %s", seed).usingRecursiveComparison().isEqualTo(expected);
    }
}
