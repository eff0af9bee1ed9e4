package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.connection.FakeBackend;
import io.tributary.broker.connection.FakeServices;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.ReasonCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebSocketTest {
    private static final int PING_BYTES = 2 + 4 + 125;
    private static final long MOST_UNREAD_BYTES = 32L << 20;

    private final FakeBackend backend = new FakeBackend();
    private final List<EntryRefusal> refused = new CopyOnWriteArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private final Listeners listeners = new Listeners(
            List.of(ListenerConfig.builder("ws", 0)
                    .kind(new ListenerKind.WebSocket("/mqtt"))
                    .build()),
            NetworkConfig.DEFAULT,
            FakeServices.on(backend),
            backend.target,
            new NetworkRecorder() {
                @Override
                public void refused(String listener, EntryRefusal reason) {
                    refused.add(reason);
                }
            });
    private int port;

    @BeforeEach
    void start() {
        port = listeners.start().getFirst().address().getPort();
    }

    @AfterEach
    void stop() {
        http.close();
        listeners
                .close(0, Duration.ofSeconds(1), null, Duration.ofSeconds(1))
                .toCompletableFuture()
                .join();
    }

    @Test // [MQTT-6.0.0-3, MQTT-6.0.0-4]
    void choosesSubprotocolThatClientNames() {
        WebSocket socket = open("mqtt", new Receiver());

        assertThat(socket.getSubprotocol()).isEqualTo("mqtt");
        socket.abort();
    }

    @Test // [MQTT-6.0.0-2]
    void takesPacketsThatSpanFramesAndFramesWithSeveralPackets() throws InterruptedException {
        Receiver receiver = new Receiver();
        WebSocket socket = open("mqtt", receiver);
        byte[] connect = Packets.bytes(Packets.connect("c"));
        send(socket, connect, 0, 5, true);
        send(socket, connect, 5, 9, false);
        send(socket, connect, 9, connect.length, true);
        assertThat(receiver.take(1)).hasExactlyElementsOfTypes(Connack.class);

        byte[] pings = Packets.bytes(new Pingreq(), new Pingreq());
        send(socket, pings, 0, pings.length, true);

        assertThat(receiver.take(2)).hasOnlyElementsOfType(Pingresp.class);
        socket.abort();
    }

    /** Some carry a token there for what is in front of the broker. */
    @Test
    void takesRequestWithQuery() throws IOException {
        String request = new String(upgrade(), StandardCharsets.US_ASCII).replace("/mqtt ", "/mqtt?token=x ");
        assertThat(statusOf(port, request)).isEqualTo("101");
        assertThat(statusOf(port, request.replace("/mqtt?", "/mqtts?"))).isEqualTo("404");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://localhost:8080", "https://127.0.0.1", "http://[::1]:3000", "HTTP://LOCALHOST", "none"})
    void takesPagesOfThisMachineAndWhatIsNoBrowserUnlessSaidOtherwise(String origin) throws IOException {
        assertThat(statusOf(port, origin.equals("none") ? List.of() : List.of(origin)))
                .isEqualTo("101");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example",
                "http://localhost.evil.example",
                "http://evil.example:1883#@localhost",
                "http://localhost@evil.example",
                "null",
                "",
                "file://",
                "https://*.example.com"
            })
    void refusesPagesOfOthersUnlessSaidOtherwise(String origin) throws IOException {
        assertThat(statusOf(port, List.of(origin))).isEqualTo("403");
        assertThat(refused).containsExactly(EntryRefusal.ORIGIN);
    }

    @Test
    void refusesBrowserThatSaysTwoOrigins() throws IOException {
        assertThat(statusOf(port, List.of("http://localhost", "https://evil.example")))
                .isEqualTo("403");
        assertThat(statusOf(port, List.of("http://localhost", "http://localhost")))
                .isEqualTo("403");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Sec-WebSocket-Version: 7\r\n", "Sec-WebSocket-Version: 8\r\n"})
    void refusesOtherVersionsOfWebSocket(String header) throws IOException {
        String answer = answer(new String(upgrade(), StandardCharsets.US_ASCII)
                .replace("Sec-WebSocket-Version: 13\r\n", header + "Origin: http://localhost\r\n"));

        assertThat(answer)
                .startsWith("HTTP/1.1 426 ")
                .containsIgnoringCase("\r\nSec-WebSocket-Version: 13\r\n")
                .endsWith("\r\n\r\nthe client is to send 'Sec-WebSocket-Version: 13'\n");
    }

    private static String statusOf(int port, List<String> origins) throws IOException {
        String request = new String(upgrade(), StandardCharsets.US_ASCII);
        StringBuilder headers = new StringBuilder();
        origins.forEach(origin -> headers.append("\r\nOrigin: ").append(origin));
        return statusOf(port, request.substring(0, request.length() - 4) + headers + "\r\n\r\n");
    }

    private static String statusOf(int port, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            byte[] status = socket.getInputStream().readNBytes("HTTP/1.1 101".length());
            return new String(status, StandardCharsets.US_ASCII).substring("HTTP/1.1 ".length());
        }
    }

    @Test // [MQTT-6.0.0-1]
    void closesWhenTextComes() throws InterruptedException {
        Receiver receiver = new Receiver();
        WebSocket socket = open("mqtt", receiver);

        socket.sendText("hello", true).join();

        assertThat(receiver.closed.poll(5, TimeUnit.SECONDS)).isEqualTo(1003);
    }

    @Test
    void answersPing() throws InterruptedException {
        Receiver receiver = new Receiver();
        WebSocket socket = open("mqtt", receiver);

        socket.sendPing(ByteBuffer.wrap(new byte[] {1})).join();

        assertThat(receiver.pongs.poll(5, TimeUnit.SECONDS)).isEqualTo(1);
        socket.abort();
    }

    @Test
    void readsNoMoreWhenClientPingsAndTakesNoPongs() throws IOException, InterruptedException {
        try (SocketChannel client = SocketChannel.open()) {
            client.setOption(StandardSocketOptions.SO_RCVBUF, 16 * 1024);
            client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            client.write(ByteBuffer.wrap(upgrade()));
            assertThat(client.read(ByteBuffer.allocate(1_024))).isPositive();
            client.write(ByteBuffer.wrap(connectFrame())); // a stranger would not get far
            assertThat(client.read(ByteBuffer.allocate(1_024))).isPositive();
            client.configureBlocking(false);

            assertThat(sendWhileRead(client, MOST_UNREAD_BYTES)).isLessThan(MOST_UNREAD_BYTES);
        }
    }

    private static byte[] connectFrame() {
        byte[] connect = Packets.bytes(Packets.connect("c"));
        byte[] frame = new byte[6 + connect.length]; // the mask is zero
        frame[0] = (byte) 0x82;
        frame[1] = (byte) (0x80 | connect.length);
        System.arraycopy(connect, 0, frame, 6, connect.length);
        return frame;
    }

    private static byte[] upgrade() {
        String request = """
                GET /mqtt HTTP/1.1
                Host: localhost
                Upgrade: websocket
                Connection: Upgrade
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
                Sec-WebSocket-Version: 13
                Sec-WebSocket-Protocol: mqtt

                """;
        return request.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** Sends pings until none is taken for a second, or there are so many bytes of them. */
    private static long sendWhileRead(SocketChannel client, long most) throws IOException, InterruptedException {
        ByteBuffer pings = ByteBuffer.allocate(1_000 * PING_BYTES);
        for (int at = 0; at < pings.capacity(); at += PING_BYTES) {
            pings.put(at, (byte) 0x89).put(at + 1, (byte) 0xFD); // a mask and 125 bytes follow, all of them zero
        }
        long sent = 0;
        for (int refused = 0; refused < 20 && sent < most; ) {
            int written = client.write(pings);
            sent += written;
            pings.position(pings.position() % pings.limit());
            if (written == 0) {
                refused++;
                Thread.sleep(50);
            } else {
                refused = 0;
            }
        }
        return sent;
    }

    @Test
    void closesAfterLastPacketWhenClientBreaksRules() throws InterruptedException {
        Receiver receiver = new Receiver();
        WebSocket socket = open("mqtt", receiver);
        byte[] twice = Packets.bytes(Packets.connect("c"), Packets.connect("c"));

        send(socket, twice, 0, twice.length, true);

        assertThat(((Disconnect) receiver.take(2).getLast()).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
        assertThat(receiver.closed.poll(5, TimeUnit.SECONDS)).isEqualTo(1000);
    }

    @Test // [MQTT-6.0.0-3]
    void refusesWhenSubprotocolIsNotMqtt() {
        assertThatThrownBy(() -> open("chat", new Receiver()))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(WebSocketHandshakeException.class);
    }

    @Test
    void saysWhatIsMissingWhenSubprotocolIsNotThere() throws IOException {
        String answer = answer(
                new String(upgrade(), StandardCharsets.US_ASCII).replace("Sec-WebSocket-Protocol: mqtt\r\n", ""));

        assertThat(answer)
                .startsWith("HTTP/1.1 400 ")
                .endsWith("\r\n\r\nthe subprotocol is missing: the client is to send 'Sec-WebSocket-Protocol: mqtt'\n");
    }

    @Test
    void saysWhatIsHereWhenPathIsNotTheConfiguredOne() throws IOException, InterruptedException {
        HttpResponse<String> answer = get("/other");

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).isEqualTo("nothing is here; this port takes MQTT over WebSocket at /mqtt\n");
    }

    @Test
    void saysWhatIsMissingWhenRequestIsNoUpgrade() throws IOException, InterruptedException {
        HttpResponse<String> answer = get("/mqtt");

        assertThat(answer.statusCode()).isEqualTo(426);
        assertThat(answer.headers().firstValue("Upgrade")).hasValue("websocket");
        assertThat(answer.body())
                .isEqualTo(
                        "this port takes MQTT over WebSocket at /mqtt; the header 'Upgrade: websocket' is missing\n");
    }

    @Test
    void answersWithoutBodyWhenOnlyHeadIsAskedFor() throws IOException {
        assertThat(answer("HEAD /other HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .startsWith("HTTP/1.1 404 ")
                .endsWith("\r\n\r\n");
    }

    /** All that is answered to a request, until the connection is closed. */
    private String answer(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private WebSocket open(String subprotocol, Receiver receiver) {
        return http.newWebSocketBuilder()
                .subprotocols(subprotocol)
                .buildAsync(URI.create("ws://127.0.0.1:" + port + "/mqtt"), receiver)
                .join();
    }

    private static void send(WebSocket socket, byte[] bytes, int from, int to, boolean last) {
        socket.sendBinary(ByteBuffer.wrap(bytes, from, to - from), last).join();
    }

    private static final class Receiver implements WebSocket.Listener {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final BlockingQueue<byte[]> frames = new LinkedBlockingQueue<>();
        private final BlockingQueue<Integer> closed = new LinkedBlockingQueue<>();
        private final BlockingQueue<Integer> pongs = new LinkedBlockingQueue<>();

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            byte[] frame = new byte[data.remaining()];
            data.get(frame);
            frames.add(frame);
            socket.request(1);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
            pongs.add(message.remaining());
            socket.request(1);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            closed.add(status);
            return null;
        }

        private List<MqttPacket> take(int count) throws InterruptedException {
            while (true) {
                byte[] frame = frames.poll(5, TimeUnit.SECONDS);
                if (frame == null) {
                    throw new AssertionError("nothing came");
                }
                bytes.writeBytes(frame);
                List<MqttPacket> packets = Packets.decode(bytes.toByteArray());
                if (packets.size() == count) {
                    bytes.reset();
                    return packets;
                }
            }
        }
    }
}
