package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.connection.FakeBackend;
import io.tributary.broker.connection.FakeServices;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ReasonCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListenersTest {
    private static final Duration PATIENT = Duration.ofSeconds(10);
    private final FakeBackend backend = new FakeBackend();
    private final Queue<EntryRefusal> refused = new ConcurrentLinkedQueue<>();
    private @Nullable Listeners listeners;

    @AfterEach
    void close() {
        if (listeners != null) {
            listeners
                    .close(0, Duration.ofSeconds(1), null, Duration.ofSeconds(1))
                    .toCompletableFuture()
                    .join();
        }
    }

    @Test
    void acceptsClientsOnPortThatWasPicked() throws IOException {
        int port = start(limited(AdmissionLimits.DEFAULT, PATIENT), NetworkConfig.DEFAULT);
        backend.echo();

        try (Client client = new Client(port)) {
            client.send(Packets.connect("c"), Packets.publish("hello"));

            assertThat(client.receive(2)).hasExactlyElementsOfTypes(Connack.class, Publish.class);
        }
        awaitDetached(1);
    }

    @Test
    void saysWhichListenerCannotListenWhenPortIsInUse() {
        int port = start(limited(AdmissionLimits.DEFAULT, PATIENT), NetworkConfig.DEFAULT);
        Listeners second = listeners(ListenerConfig.tcp("second", port), NetworkConfig.DEFAULT);

        assertThatThrownBy(second::start)
                .isInstanceOf(ListenException.class)
                .hasMessageContaining("listener second")
                .hasMessageContaining("port=" + port)
                .extracting(failure -> ((ListenException) failure).reason())
                .isEqualTo(ListenException.Reason.PORT_IN_USE);
        second.close(0, Duration.ofSeconds(1), null, Duration.ofSeconds(1))
                .toCompletableFuture()
                .join();
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-host.invalid", "192.0.2.1"})
    void saysThatTheHostIsNotOfThisMachine(String host) {
        ListenerConfig config = ListenerConfig.tcp("elsewhere", host, 0);
        Listeners elsewhere = listeners(config, NetworkConfig.DEFAULT);

        assertThatThrownBy(elsewhere::start)
                .isInstanceOfSatisfying(
                        ListenException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(ListenException.Reason.UNKNOWN_HOST));
        elsewhere
                .close(0, Duration.ofSeconds(1), null, Duration.ofSeconds(1))
                .toCompletableFuture()
                .join();
    }

    @Test
    void tellsClientsWhenItCloses() throws IOException {
        int port = start(limited(AdmissionLimits.DEFAULT, PATIENT), NetworkConfig.DEFAULT);
        try (Client client = new Client(port)) {
            client.send(Packets.connect("c"));
            client.receive(1);

            close();

            assertThat(((Disconnect) client.receive(1).getFirst()).reason()).isEqualTo(ReasonCode.SERVER_SHUTTING_DOWN);
            assertThat(client.isAtEnd()).isTrue();
        }
        assertThatThrownBy(() -> new Client(port)).isInstanceOf(IOException.class);
    }

    @Test
    void refusesClientsWhenThereAreTooMany() throws IOException {
        int port = start(limited(new AdmissionLimits(1, 0, 0), PATIENT), NetworkConfig.DEFAULT);
        try (Client first = new Client(port)) {
            first.send(Packets.connect("first"));
            first.receive(1);
            try (Client second = new Client(port)) {
                second.send(Packets.connect("second"));

                assertThat(((Connack) second.receive(1).getFirst()).reason()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
                assertThat(second.isAtEnd()).isTrue();
            }
        }
        awaitDetached(1);
        Awaitility.await().untilAsserted(() -> {
            try (Client third = new Client(port)) {
                third.send(Packets.connect("third"));
                assertThat(((Connack) third.receive(1).getFirst()).reason()).isEqualTo(ReasonCode.SUCCESS);
            }
        });
    }

    @Test
    void refusesClientsWhenTheyComeTooFast() throws IOException {
        int port = start(limited(new AdmissionLimits(10, 1, 1), PATIENT), NetworkConfig.DEFAULT);
        try (Client first = new Client(port)) {
            first.send(Packets.connect("first"));
            first.receive(1);
            try (Client second = new Client(port)) {
                second.send(Packets.connect("second"));

                assertThat(((Connack) second.receive(1).getFirst()).reason())
                        .isEqualTo(ReasonCode.CONNECTION_RATE_EXCEEDED);
            }
        }
    }

    @Test
    void oldestSilentConnectionsGiveWay() throws IOException {
        int port = start(limited(new AdmissionLimits(400, 0, 0), Duration.ofMinutes(5)), NetworkConfig.DEFAULT);
        backend.echo();
        List<Client> silent = new ArrayList<>();
        try (Client connected = new Client(port)) {
            connected.send(Packets.connect("connected"));
            connected.receive(1);
            for (int i = 0; i < 200; i++) {
                silent.add(new Client(port));
            }
            Awaitility.await()
                    .atMost(PATIENT)
                    .untilAsserted(() -> assertThat(refused).hasSize(100).containsOnly(EntryRefusal.SILENT));
            assertThat(silent.getFirst().isAtEnd()).isTrue();
            try (Client good = new Client(port)) {
                good.send(Packets.connect("good"), Packets.publish("from good"));
                assertThat(good.receive(2)).hasExactlyElementsOfTypes(Connack.class, Publish.class);
            }
            Client last = silent.getLast();
            last.send(Packets.connect("last"));
            assertThat(last.receive(1)).hasExactlyElementsOfTypes(Connack.class);
            connected.send(Packets.publish("from connected"));
            assertThat(last.receive(1)).hasExactlyElementsOfTypes(Publish.class);
        } finally {
            for (Client one : silent) {
                one.close();
            }
        }
    }

    @Test
    void lastPacketArrivesWhenClientHasSentMoreThanIsRead() throws IOException {
        int port = start(limited(AdmissionLimits.DEFAULT, PATIENT), NetworkConfig.DEFAULT);
        try (Client client = new Client(port)) {
            client.send(Packets.connect("c"));
            client.receive(1);

            client.send(Packets.connect("again"), Packets.publish("x".repeat(500_000)), Packets.publish("y"));

            assertThat(((Disconnect) client.receive(1).getFirst()).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
            assertThat(client.isAtEnd()).isTrue();
        }
    }

    @Test
    void closesWhenNoConnectComesInTime() throws IOException {
        int port = start(limited(AdmissionLimits.DEFAULT, Duration.ofMillis(200)), NetworkConfig.DEFAULT);

        try (Client client = new Client(port)) {
            client.sendBytes(new byte[] {0x10});

            assertThat(client.isAtEnd()).isTrue();
        }
    }

    @Test
    void keepsMemoryBoundedWhenClientSendsButDoesNotRead() throws IOException {
        int port = start(limited(AdmissionLimits.DEFAULT, PATIENT), NetworkConfig.DEFAULT);
        try (Client client = new Client(port)) {
            client.send(Packets.connect("c"));
            client.receive(1);
            backend.flood(4_000);
            byte[] pings = new byte[2 * 10_000];
            for (int i = 0; i < pings.length; i += 2) {
                pings[i] = (byte) 0xC0;
            }

            Thread sender = Thread.ofPlatform().daemon().start(() -> sendUntilStuck(client, pings));

            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> sender.getState() == Thread.State.RUNNABLE && client.isStuck());
        }
    }

    @Test
    void disconnectsClientThatReadsNothingForTooLong() throws IOException {
        NetworkConfig impatient =
                new NetworkConfig(1, 10, 1_024, 4_096, Duration.ofMillis(300), Duration.ofMillis(300));
        int port = start(limited(AdmissionLimits.DEFAULT, PATIENT), impatient);
        try (Client client = new Client(port)) {
            client.send(Packets.connect("c"));
            client.receive(1);

            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
                backend.flood(2_000); // until the buffers of the system are full, whatever their size
                return backend.detached() == 1;
            });
        }
    }

    private static void sendUntilStuck(Client client, byte[] bytes) {
        try {
            while (true) {
                client.sendBytes(bytes);
            }
        } catch (IOException closed) {
            return; // the test is over
        }
    }

    private void awaitDetached(int count) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(backend.detached()).isEqualTo(count));
    }

    private int start(ListenerConfig config, NetworkConfig network) {
        Listeners started = listeners(config, network);
        listeners = started;
        return started.start().getFirst().address().getPort();
    }

    private Listeners listeners(ListenerConfig config, NetworkConfig network) {
        return new Listeners(List.of(config), network, FakeServices.on(backend), backend.target, new NetworkRecorder() {
            @Override
            public void refused(String listener, EntryRefusal reason) {
                refused.add(reason);
            }
        });
    }

    private static ListenerConfig limited(AdmissionLimits admission, Duration connectTimeout) {
        return ListenerConfig.builder("test", 0)
                .maxConnections(admission.maxConnections())
                .connectRate(admission.connectsPerSecond())
                .connectBurst(admission.connectBurst())
                .limits(limits -> limits.connect(connect -> connect.timeout(connectTimeout)))
                .build();
    }

    /** A client that does what it is told, byte by byte. */
    private static final class Client implements AutoCloseable {
        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;
        private volatile long sentAt;

        private Client(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(5_000);
            in = socket.getInputStream();
            out = socket.getOutputStream();
        }

        private void send(MqttPacket... packets) throws IOException {
            sendBytes(Packets.bytes(packets));
        }

        private void sendBytes(byte[] bytes) throws IOException {
            sentAt = System.nanoTime();
            out.write(bytes);
            out.flush();
        }

        /** Whether the last write has been waiting for a second. */
        private boolean isStuck() {
            return System.nanoTime() - sentAt > Duration.ofSeconds(1).toNanos();
        }

        /** Reads until so many packets are here. */
        private List<MqttPacket> receive(int count) throws IOException {
            ByteArrayOutputStream received = new ByteArrayOutputStream();
            while (true) {
                received.write(readPacket());
                List<MqttPacket> packets = Packets.decode(received.toByteArray());
                if (packets.size() == count) {
                    return packets;
                }
            }
        }

        private byte[] readPacket() throws IOException {
            ByteArrayOutputStream packet = new ByteArrayOutputStream();
            packet.write(readByte());
            int length = 0;
            int digit = 0x80;
            for (int shift = 0; (digit & 0x80) != 0; shift += 7) {
                digit = readByte();
                packet.write(digit);
                length |= (digit & 0x7F) << shift;
            }
            packet.writeBytes(in.readNBytes(length));
            return packet.toByteArray();
        }

        private int readByte() throws IOException {
            int read = in.read();
            if (read < 0) {
                throw new IOException("end of stream");
            }
            return read;
        }

        private boolean isAtEnd() throws IOException {
            return in.read() < 0;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
