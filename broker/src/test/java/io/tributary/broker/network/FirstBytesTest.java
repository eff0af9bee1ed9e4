package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.tributary.broker.connection.FakeBackend;
import io.tributary.broker.connection.FakeServices;
import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FirstBytesTest {
    private final FakeBackend backend = new FakeBackend();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Listeners listeners = new Listeners(
            List.of(
                    ListenerConfig.tcp("tcp", 0),
                    ListenerConfig.builder("ws", 0)
                            .kind(new ListenerKind.WebSocket("/mqtt"))
                            .build()),
            NetworkConfig.DEFAULT,
            FakeServices.on(backend),
            backend.target,
            NetworkRecorder.NONE);
    private int tcp;
    private int ws;

    @BeforeEach
    void start() {
        List<BoundListener> bound = listeners.start();
        tcp = bound.getFirst().address().getPort();
        ws = bound.getLast().address().getPort();
    }

    @AfterEach
    void stop() {
        http.close();
        listeners
                .close(0, Duration.ofSeconds(1), null, Duration.ofSeconds(1))
                .toCompletableFuture()
                .join();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
    void answersInWordsWhenPortOfMqttIsAskedInHttp(String method) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + tcp + "/"))
                .method(method, HttpRequest.BodyPublishers.ofString("x".repeat(100_000)))
                .build();

        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/plain; charset=utf-8");
        assertThat(answer.body()).isEqualTo("this port takes MQTT over TCP only\n");
    }

    @Test
    void closesAtOnceWhenPortOfMqttIsAskedInTls() throws IOException {
        closesAtOnceInTls(tcp);
    }

    @Test
    void closesAtOnceWhenPortOfWebSocketIsAskedInTls() throws IOException {
        closesAtOnceInTls(ws);
    }

    private static void closesAtOnceInTls(int port) throws IOException {
        try (Socket socket = SSLSocketFactory.getDefault().createSocket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(5_000); // connect-timeout is 10 s
            assertThatThrownBy(() -> socket.getOutputStream().write(1))
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("terminated the handshake");
        }
    }

    @Test
    void refusesConnectInWordsWhenItComesToPortOfWebSocket() throws IOException {
        byte[] answer = answer(Packets.bytes(Packets.connect("c")));

        Connack refusal = (Connack) Packets.decode(answer).getFirst();
        assertThat(refusal.reason()).isEqualTo(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
        assertThat(refusal.properties().reasonString()).isEqualTo("this port takes MQTT over WebSocket at /mqtt only");
    }

    @Test
    void refusesConnectOfMqtt3AsUnavailableWhenItComesToPortOfWebSocket() throws IOException {
        ByteBuf connect = Unpooled.buffer();
        new MqttEncoder(ProtocolVersion.MQTT_3_1_1, ConnectProperties.LARGEST_PACKET)
                .encode(
                        new Connect(
                                ProtocolVersion.MQTT_3_1_1,
                                true,
                                0,
                                "c",
                                null,
                                null,
                                null,
                                ConnectProperties.defaults(0)),
                        connect);

        assertThat(answer(ByteBufUtil.getBytes(connect))).containsExactly(0x20, 2, 0, 3);
    }

    @Test
    void closesWhenHalfAConnectComesToPortOfWebSocket() throws IOException {
        assertThat(answer(new byte[] {0x10, 50, 0, 4, 'M', 'Q'})).isEmpty();
    }

    @Test
    void answersNothingMoreWhenHttpComesLaterThanFirst() throws IOException {
        byte[] first = Packets.bytes(Packets.connect("c"));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), tcp)) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write(first);
            assertThat(socket.getInputStream().read()).isEqualTo(0x20);

            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                    .doesNotContain("HTTP");
        }
    }

    /** All that the port of WebSocket answers to these first bytes, until it closes. */
    private byte[] answer(byte[] first) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), ws)) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write(first);
            return socket.getInputStream().readAllBytes();
        }
    }
}
