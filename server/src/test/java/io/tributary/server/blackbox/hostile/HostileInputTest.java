package io.tributary.server.blackbox.hostile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Packets that are malformed, huge, or beyond a limit: the client hears why where MQTT can say it, and others notice
 * nothing.
 */
@ExtendWith(BrokerExtension.class)
class HostileInputTest {
    private static final Path CORPUS = Path.of(
            "../common/src/test/resources/io/tributary/common/codec/MqttDecoderFuzzTestInputs/decodesOrRefusesWhateverComes");
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int MUTATIONS = 10 * Scale.wanted().unfinished;

    /** In the first byte of a file of the corpus: the decoder is that of a server which waits for CONNECT. */
    private static final int FRESH = 0x08;

    private static BrokerProcess broker;

    @BeforeAll
    static void start() {
        broker = BrokerProcess.start(Scratch.folder("input"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @AfterEach
    void othersAreServed() throws IOException {
        try (TestClient client = connect("somebody else")) {
            client.send(Packets.subscribe(1, "others", QoS.AT_LEAST_ONCE));
            client.expect(Suback.class);
            client.send(Packets.publish("others", new byte[1], QoS.AT_LEAST_ONCE, 1));
            assertThat(List.of(client.expect(MqttPacket.class), client.expect(MqttPacket.class)))
                    .hasAtLeastOneElementOfType(Publish.class)
                    .hasAtLeastOneElementOfType(Puback.class);
        }
        assertThat(broker.logTail()).doesNotContain("ERROR", "Exception", "LEAK");
    }

    @Test
    void closesConnectionAndNothingElseWhenBytesAreFuzz() throws Exception {
        List<byte[]> seeds = seeds();
        Random random = new Random(20_251_121);
        List<byte[]> inputs = new ArrayList<>(seeds);
        for (int i = 0; i < MUTATIONS; i++) {
            inputs.add(mutate(seeds.get(random.nextInt(seeds.size())), random));
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> thrown = new ArrayList<>();
            for (byte[] input : inputs) {
                thrown.add(threads.submit(() -> throwAt(broker.tcpPort(), input)));
            }
            for (Future<?> input : thrown) {
                input.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
    }

    @Test
    void closesConnectionWhenWebSocketIsSpokenBadly() throws Exception {
        Random random = new Random(5);
        String upgrade = """
                GET /mqtt HTTP/1.1
                Host: localhost
                Upgrade: websocket
                Connection: Upgrade
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
                Sec-WebSocket-Version: 13
                Sec-WebSocket-Protocol: mqtt

                """.replace("\n", "\r\n");
        for (int i = 0; i < 100; i++) {
            byte[] garbage = new byte[random.nextInt(2_000)];
            random.nextBytes(garbage);
            byte[] words = (i % 2 == 0 ? upgrade : "").getBytes(UTF_8);
            byte[] input = Arrays.copyOf(words, words.length + garbage.length);
            System.arraycopy(garbage, 0, input, words.length, garbage.length);
            throwAt(broker.webSocketPort(), input);
        }
        throwAt(broker.webSocketPort(), ("GET /" + "x".repeat(1_000_000)).getBytes(UTF_8));
        throwAt(broker.webSocketPort(), "GET /elsewhere HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
    }

    @Test
    void refusesWithoutWaitingWhenHugePacketIsAnnounced() throws IOException {
        try (TestClient client = connect("announcer")) {
            client.sendBytes(Wire.packet(0x30, 268_435_455, new byte[0]));
            assertRefused(client, ReasonCode.PACKET_TOO_LARGE);
        }
        try (TestClient client = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5)) {
            client.sendBytes(Wire.packet(0x10, 268_435_455, new byte[0]));
            client.awaitClose();
        }
    }

    @Test
    void refusesWhenPublishIsTooLarge() throws IOException {
        try (TestClient client = connect("large")) {
            client.send(Packets.publish("large", new byte[2 * 1024 * 1024], QoS.AT_LEAST_ONCE, 1));
            assertRefused(client, ReasonCode.PACKET_TOO_LARGE);
        }
    }

    @Test
    void grantsSubscriptionsUpToLimitWhenThereAreThousands() throws IOException {
        try (TestClient client = connect("collector")) {
            List<ReasonCode> reasons = new ArrayList<>();
            for (int i = 0; i < 15; i++) {
                int first = i * 100;
                String[] filters = IntStream.range(first, first + 100)
                        .mapToObj(number -> "many/" + number)
                        .toArray(String[]::new);
                client.send(Packets.subscribe(1 + i, QoS.AT_LEAST_ONCE, filters));
                reasons.addAll(client.expect(Suback.class).reasons());
            }
            assertThat(reasons.subList(0, 1_000)).containsOnly(ReasonCode.GRANTED_QOS_1);
            assertThat(reasons.subList(1_000, 1_500)).containsOnly(ReasonCode.QUOTA_EXCEEDED);
        }
    }

    @Test
    void passesTopicsUpToLimitsWhenDeepOrLong() throws IOException {
        for (String topic : List.of(deep(128), "x".repeat(1024), "x".repeat(65_535))) {
            try (TestClient client = connect("deep")) {
                String filter = topic.length() > 1024 ? "+" : topic; // which is as long as a filter may be
                client.send(Packets.subscribe(1, filter, QoS.AT_MOST_ONCE));
                assertThat(client.expect(Suback.class).reasons()).containsExactly(ReasonCode.SUCCESS);
                client.send(Packets.publish(topic, new byte[1], QoS.AT_MOST_ONCE, 0));
                assertThat(client.expect(Publish.class).topic()).isEqualTo(topic);
            }
        }
    }

    @Test
    void refusesTopicsWhenDeeperThanLimit() throws IOException {
        try (TestClient client = connect("too deep")) {
            client.send(Packets.publish(deep(129), new byte[1], QoS.AT_MOST_ONCE, 0));
            assertRefused(client, ReasonCode.TOPIC_NAME_INVALID);
        }
        try (TestClient client = connect("too deep")) {
            client.send(Packets.subscribe(1, deep(129), QoS.AT_MOST_ONCE));
            assertThat(client.expect(Suback.class).reasons()).containsExactly(ReasonCode.TOPIC_FILTER_INVALID);
        }
    }

    @Test
    void refusesUserPropertiesWhenMoreThanLimit() throws IOException {
        try (TestClient client = connect("talkative")) {
            client.send(Packets.subscribe(1, "talk", QoS.AT_MOST_ONCE));
            client.expect(Suback.class);
            client.send(Packets.publish("talk", new byte[1], QoS.AT_MOST_ONCE, 0, properties(100, 10)));
            assertThat(client.expect(Publish.class).properties().userProperties())
                    .hasSize(100);
            client.send(Packets.publish("talk", new byte[1], QoS.AT_MOST_ONCE, 0, properties(101, 10)));
            assertRefused(client, ReasonCode.QUOTA_EXCEEDED);
        }
        try (TestClient client = connect("talkative")) {
            client.send(Packets.publish("talk", new byte[1], QoS.AT_MOST_ONCE, 0, properties(2, 65_535)));
            assertThat(client.awaitClose()).isInstanceOf(Disconnect.class);
        }
    }

    @Test
    void refusesClientIdentifierWhenLongerThanLimit() throws IOException {
        for (int length : new int[] {1_025, 60_000}) {
            try (TestClient client = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5)) {
                client.send(TestClient.connectPacket(ProtocolVersion.MQTT_5, "x".repeat(length), 0));
                assertThat(client.expect(Connack.class).reason()).isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID);
            }
        }
    }

    @Test
    void refusesWhenMoreIsUnacknowledgedThanReceiveMaximum() throws IOException {
        try (TestClient client = TestClient.open(broker.tcpPort(), ProtocolVersion.MQTT_5)) {
            Connack connack = client.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, "hasty", 0));
            long most = connack.properties().receiveMaximum();
            for (int i = 1; i <= most + 1; i++) {
                client.queue(Packets.publish("hasty", new byte[1], QoS.EXACTLY_ONCE, i));
            }
            client.flush();
            assertRefused(client, ReasonCode.RECEIVE_MAXIMUM_EXCEEDED);
        }
    }

    private static TestClient connect(String clientId) throws IOException {
        return TestClient.connect(broker.tcpPort(), ProtocolVersion.MQTT_5, clientId, 0);
    }

    private static void assertRefused(TestClient client, ReasonCode reason) {
        assertThat(client.awaitClose())
                .isInstanceOfSatisfying(
                        Disconnect.class,
                        farewell -> assertThat(farewell.reason()).isEqualTo(reason));
    }

    private static String deep(int levels) {
        return String.join("/", Collections.nCopies(levels, "x"));
    }

    private static List<UserProperty> properties(int count, int length) {
        return Collections.nCopies(count, new UserProperty("name", "x".repeat(length)));
    }

    /** Sends bytes on a connection of their own, and waits until the broker has closed it. */
    private static void throwAt(int port, byte... input) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(input);
            socket.shutdownOutput();
            try (InputStream in = socket.getInputStream()) {
                in.transferTo(OutputStream.nullOutputStream());
            }
        } catch (SocketTimeoutException open) {
            throw new AssertionError(
                    "the broker did not close the connection after these bytes: "
                            + HexFormat.of().formatHex(input),
                    open);
        } catch (IOException closed) {
            // a reset, for what the broker did not want to read
        }
    }

    /** The seeds of the codec's fuzz test as what a client sends: after a CONNECT, unless they are one. */
    private static List<byte[]> seeds() throws IOException {
        List<byte[]> seeds = new ArrayList<>();
        try (Stream<Path> files = Files.list(CORPUS)) {
            for (Path file : files.sorted().toList()) {
                byte[] data = Files.readAllBytes(file);
                byte[] connect = (data[0] & FRESH) != 0 ? new byte[0] : Wire.connect(3 + (data[0] & 3), "fuzz");
                byte[] seed = Arrays.copyOf(connect, connect.length + data.length - 1);
                System.arraycopy(data, 1, seed, connect.length, data.length - 1);
                seeds.add(seed);
            }
        }
        assertThat(seeds).hasSizeGreaterThan(20);
        return seeds;
    }

    private static byte[] mutate(byte[] seed, Random random) {
        byte[] input = switch (random.nextInt(4)) {
            case 0 -> Arrays.copyOf(seed, random.nextInt(seed.length + 1));
            case 1 -> Arrays.copyOf(seed, seed.length + random.nextInt(500));
            case 2 -> new byte[random.nextInt(500)];
            default -> seed.clone();
        };
        for (int i = random.nextInt(10); i >= 0 && input.length > 0; i--) {
            input[random.nextInt(input.length)] = (byte) random.nextInt();
        }
        return input;
    }
}
