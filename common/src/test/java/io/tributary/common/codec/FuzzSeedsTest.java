package io.tributary.common.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.ProtocolVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The seeds of {@link MqttDecoderFuzzTest}: small files, one stream of packets for each version and side. */
class FuzzSeedsTest {
    private static final Path DIRECTORY = Path.of(
            "src/test/resources/io/tributary/common/codec/MqttDecoderFuzzTestInputs/decodesOrRefusesWhateverComes");

    /**
     * Writes the seeds anew, after the wire form of a random packet has changed: run it with the module as directory.
     */
    static void main() throws IOException {
        Files.createDirectories(DIRECTORY);
        for (ProtocolVersion version : ProtocolVersion.values()) {
            int selector = version.level() - ProtocolVersion.MQTT_3_1.level();
            RandomPackets client = new RandomPackets(new Random(1), version, Role.CLIENT);
            write(version, "connect", MqttDecoderFuzzTest.FRESH | selector, Wire.encode(version, client.connect()));
            writeEachType(version, Role.CLIENT, selector);
            writeEachType(version, Role.SERVER, MqttDecoderFuzzTest.CLIENT | selector);
        }
    }

    @Test
    void coversEveryTypeWhenVersionsAreTakenTogether() throws IOException {
        Set<Integer> types = new TreeSet<>();
        Set<Integer> selectors = new TreeSet<>();
        try (Stream<Path> seeds = Files.list(DIRECTORY)) {
            for (Path seed : seeds.toList()) {
                byte[] data = Files.readAllBytes(seed);
                selectors.add((int) data[0]);
                types.add((data[1] & 0xF0) >> 4);
            }
        }
        assertThat(types).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        assertThat(selectors).containsExactly(0, 1, 2, 4, 5, 6, 8, 9, 10);
    }

    private static void writeEachType(ProtocolVersion version, Role sender, int selector) throws IOException {
        RandomPackets packets = new RandomPackets(new Random(2), version, sender);
        Set<PacketType> types = EnumSet.noneOf(PacketType.class);
        for (int i = 0; i < 500; i++) {
            MqttPacket packet = packets.next();
            byte[] bytes = Wire.encode(version, packet);
            PacketType type = BodyWriter.typeOf(packet);
            if (bytes.length < 200 && types.add(type)) {
                write(version, sender + "-" + type, selector, bytes);
            }
        }
    }

    private static void write(ProtocolVersion version, String name, int selector, byte[] packet) throws IOException {
        byte[] data = new byte[packet.length + 1];
        data[0] = (byte) selector;
        System.arraycopy(packet, 0, data, 1, packet.length);
        Files.write(DIRECTORY.resolve((version + "-" + name).toLowerCase(Locale.ROOT)), data);
    }
}
