package io.tributary.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.ListenerKind;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.tls.HandshakeFailure;
import io.tributary.broker.tls.OpenSslAuthority;
import io.tributary.broker.tls.OpenSslAuthority.Issued;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.broker.tls.TlsConfig.ClientCertificates;
import io.tributary.broker.tls.TlsEngine;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that others wrote, and openssl itself, against listeners with TLS, with both engines. */
class TlsClientsTest {
    /** CONNECT of MQTT 3.1.1, client identifier {@code c}, clean session. */
    private static final byte[] CONNECT = HexFormat.of().parseHex("100d00044d5154540402003c000163");

    private static final byte[] PING = HexFormat.of().parseHex("c000");

    @TempDir
    private static Path made;

    private static OpenSslAuthority authority;
    private static Issued server;
    private static Issued client;

    @TempDir
    private Path folder;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final BlockingQueue<ClientInfo> connected = new LinkedBlockingQueue<>();
    private @Nullable Broker broker;

    @BeforeAll
    static void makeCertificates() {
        authority = OpenSslAuthority.in(made, "authority");
        server = authority.server("server");
        client = authority.client("client");
    }

    @AfterEach
    void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void clientsOfTcpAndWebSocketExchangeMessages(TlsEngine engine) throws InterruptedException {
        int[] ports = start(config(engine));
        Mqtt5BlockingClient overTcp = hivemq(ports[0], (Issued) null).buildBlocking();
        Mqtt5BlockingClient overWebSocket = hivemq(ports[1], (Issued) null)
                .webSocketConfig()
                .serverPath("mqtt")
                .applyWebSocketConfig()
                .buildBlocking();
        overTcp.connect();
        overWebSocket.connect();
        byte[] large = new byte[200_000];
        try (var messages = overTcp.publishes(MqttGlobalPublishFilter.ALL)) {
            overTcp.subscribeWith().topicFilter("t").qos(MqttQos.AT_LEAST_ONCE).send();
            overWebSocket
                    .publishWith()
                    .topic("t")
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .payload(large)
                    .send();

            assertThat(messages.receive(30, TimeUnit.SECONDS).orElseThrow().getPayloadAsBytes())
                    .isEqualTo(large);
        }
        overTcp.disconnect();
        overWebSocket.disconnect();
        assertThat(connected).extracting(ClientInfo::certificateSubject).containsOnlyNulls();
        assertThat(handshakes("success")).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void mosquittosClientsExchangeMessagesWithCertificates(TlsEngine engine) throws Exception {
        int port = startForCertificates(engine);
        Process subscriber = mosquitto("mosquitto_sub", port, "-t", "t", "-q", "1", "-C", "1", "-W", "60");
        assertThat(connected.poll(60, TimeUnit.SECONDS))
                .extracting(ClientInfo::certificateSubject)
                .isEqualTo("CN=client,OU=Unit,O=Test");
        Awaitility.await().until(() -> started().status().subscriptions() == 1);

        Process publisher = mosquitto("mosquitto_pub", port, "-t", "t", "-q", "1", "-m", "over TLS");

        assertThat(publisher.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(new String(subscriber.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("over TLS\n");
    }

    private static Process mosquitto(String program, int port, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(program, "-h", "127.0.0.1", "-p", Integer.toString(port)));
        Collections.addAll(
                command,
                "--cafile",
                authority.certificate().toString(),
                "--cert",
                client.certificate().toString(),
                "--key",
                client.key().toString());
        Collections.addAll(command, more);
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    @ParameterizedTest
    @EnumSource
    void clientsWithoutGoodCertificatesAreRefusedAndCounted(TlsEngine engine) throws IOException {
        Issued expired = authority.issue(
                "expired" + engine, "DNS:x", "-startdate", "20200101000000Z", "-enddate", "20210101000000Z");
        Issued revoked = authority.client("revoked" + engine);
        authority.revoke(revoked);
        int port = start(config(engine).toBuilder()
                .clientCertificates(ClientCertificates.NEED)
                .authorities(authority.certificate())
                .crls(authority.list("refused" + engine))
                .build())[0];
        Issued stranger = OpenSslAuthority.in(folder, "stranger").client("stranger");

        assertRefused(port, null, HandshakeFailure.NO_CERTIFICATE);
        // Other clients show a certificate only when it is of an authority that the broker names.
        sClient(
                port,
                "-cert",
                stranger.certificate().toString(),
                "-key",
                stranger.key().toString());
        awaitFailure(HandshakeFailure.UNTRUSTED);
        assertRefused(port, expired, HandshakeFailure.EXPIRED);
        assertRefused(port, revoked, HandshakeFailure.REVOKED);
        hivemq(port, client).buildBlocking().connect();
        assertThat(handshakes("success")).isEqualTo(1);
    }

    /** Each is looked at on the event loop. */
    @ParameterizedTest
    @EnumSource
    void clientThatShowsFiftyCertificatesIsRefused(TlsEngine engine) throws Exception {
        int port = startForCertificates(engine);
        List<Certificate> behind = new ArrayList<>(List.of(OpenSslAuthority.read(authority.certificate())));
        for (int i = 0; i < 50; i++) {
            behind.add(OpenSslAuthority.forged("authority"));
        }
        assertThatThrownBy(() -> hivemq(port, client.keyManagers(behind.toArray(Certificate[]::new)))
                        .buildBlocking()
                        .connect())
                .isInstanceOf(RuntimeException.class);
        hivemq(port, client.keyManagers(behind.getFirst())).buildBlocking().connect();
    }

    @ParameterizedTest
    @EnumSource
    void outdatedListRefusesUnlessItIsAccepted(TlsEngine engine) {
        TlsConfig config = config(engine).toBuilder()
                .clientCertificates(ClientCertificates.NEED)
                .authorities(authority.certificate())
                .build();
        Path list = authority.list(
                "outdated" + engine, "-crl_lastupdate", "20200101000000Z", "-crl_nextupdate", "20200201000000Z");
        int port = start(config.toBuilder().crls(list).build())[0];
        assertRefused(port, client, HandshakeFailure.CRL_OUTDATED);
        assertThat(started().status().warnings().getFirst()).endsWith("its certificates are refused");
        started().close();

        hivemq(start(config.toBuilder().crls(list).acceptsOutdatedCrls(true).build())[0], client)
                .buildBlocking()
                .connect();
    }

    @ParameterizedTest
    @EnumSource
    void clientThatSpeaksNoTlsOrNothingInCommonIsCounted(TlsEngine engine) throws IOException {
        int port = start(config(engine).toBuilder()
                .protocols(List.of("TLSv1.3"))
                .handshakeTimeout(Duration.ofMillis(500))
                .maxHandshakes(10)
                .build())[0];
        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port)) {
            plain.getOutputStream().write(CONNECT);
            awaitFailure(HandshakeFailure.NOT_TLS);
        }
        try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), port)) {
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
            awaitFailure(HandshakeFailure.TIMEOUT);
        }
        assertThat(sClient(port, "-tls1_2")).contains("alert protocol version");
        awaitFailure(HandshakeFailure.NOTHING_IN_COMMON);
        assertThatThrownBy(() -> Mqtt5Client.builder()
                        .serverHost("127.0.0.1")
                        .serverPort(port)
                        .sslConfig(MqttClientSslConfig.builder()
                                .trustManagerFactory(
                                        OpenSslAuthority.in(folder, "another").trustManagers())
                                .build())
                        .buildBlocking()
                        .connect())
                .isInstanceOf(RuntimeException.class);
        awaitFailure(HandshakeFailure.REFUSED_BY_CLIENT);
    }

    /** The client would take an end without close_notify for an attack. */
    @ParameterizedTest
    @EnumSource
    void lastPacketArrivesAndTlsIsEndedInOrderWhenBrokerCloses(TlsEngine engine) throws IOException {
        int port = start(config(engine))[0];
        for (String version : List.of("-tls1_2", "-tls1_3")) {
            String said = sClient(port, version);
            assertThat(said)
                    .contains(version.equals("-tls1_2") ? "TLSv1.2" : "TLSv1.3")
                    .contains("closed");
            assertThat(said).doesNotContain("unexpected eof");
        }
    }

    /** As at another node: the second broker has nothing but the file in common with the first one. */
    @Test
    void sessionIsResumedAtAnotherBrokerWithTheSameTicketKeys() throws IOException {
        byte[] random = new byte[48];
        new SecureRandom().nextBytes(random);
        Path keys = Files.write(folder.resolve("ticket.keys"), random);
        OpenSslAuthority.close(keys);
        TlsConfig config = config(TlsEngine.OPENSSL);
        String session = folder.resolve("session").toString();

        assertThat(sClient(start(config.toBuilder().ticketKeys(keys).build())[0], "-tls1_2", "-sess_out", session))
                .contains("New, ");
        started().close();
        assertThat(sClient(start(config.toBuilder().ticketKeys(keys).build())[0], "-tls1_2", "-sess_in", session))
                .contains("Reused, ");
        started().close();
        assertThat(sClient(start(config)[0], "-tls1_2", "-sess_in", session)).contains("New, ");
    }

    /** What openssl says of a connection over which it sends what is no MQTT. */
    private static String sClient(int port, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "openssl",
                "s_client",
                "-connect",
                "127.0.0.1:" + port,
                "-CAfile",
                authority.certificate().toString(),
                "-ign_eof"));
        Collections.addAll(command, options);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (OutputStream to = process.getOutputStream()) {
            to.write("this is no MQTT\n".getBytes(StandardCharsets.US_ASCII));
            to.flush();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Fifty answers of one turn are one record. */
    @ParameterizedTest
    @EnumSource
    void oneFlushIsOneRecord(TlsEngine engine) throws Exception {
        int port =
                start(config(engine).toBuilder().protocols(List.of("TLSv1.2")).build())[0];
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, authority.trustManagers().getTrustManagers(), null);
        try (RecordCounter between = new RecordCounter(port);
                Socket socket = trusting.getSocketFactory().createSocket("127.0.0.1", between.port())) {
            InputStream in = socket.getInputStream();
            socket.getOutputStream().write(CONNECT);
            in.readNBytes(4);
            int before = between.records();
            byte[] pings = new byte[50 * PING.length];
            for (int i = 0; i < pings.length; i++) {
                pings[i] = PING[i % PING.length];
            }
            socket.getOutputStream().write(pings);
            assertThat(in.readNBytes(pings.length)).hasSize(pings.length);
            assertThat(between.records() - before).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anotherHandshakeOverAConnectionEndsIt(TlsEngine engine) throws Exception {
        int port =
                start(config(engine).toBuilder().protocols(List.of("TLSv1.2")).build())[0];
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, authority.trustManagers().getTrustManagers(), null);
        try (SSLSocket socket = (SSLSocket) trusting.getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.setSoTimeout(30_000);
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            out.write(CONNECT);
            in.readNBytes(4);
            out.write(PING);
            assertThat(in.readNBytes(2)).hasSize(2);

            assertThatThrownBy(() -> {
                        socket.startHandshake();
                        out.write(PING);
                        if (in.read() < 0) {
                            throw new EOFException();
                        }
                    })
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    private void assertRefused(int port, @Nullable Issued certificate, HandshakeFailure reason) {
        double before = failures(reason);
        assertThatThrownBy(() -> hivemq(port, certificate).buildBlocking().connect())
                .isInstanceOf(RuntimeException.class);
        Awaitility.await("failures counted as " + reason).until(() -> failures(reason) == before + 1);
    }

    private void awaitFailure(HandshakeFailure reason) {
        Awaitility.await("failures counted as " + reason).until(() -> failures(reason) == 1);
    }

    private double failures(HandshakeFailure reason) {
        return registry.get("tributary.tls.handshakes.failed")
                .tag("listener", "tcp")
                .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                .functionCounter()
                .count();
    }

    private double handshakes(String outcome) {
        return registry.find("tributary.tls.handshakes").tag("outcome", outcome).functionCounters().stream()
                .mapToDouble(FunctionCounter::count)
                .sum();
    }

    private static Mqtt5ClientBuilder hivemq(int port, @Nullable Issued certificate) {
        return hivemq(port, certificate == null ? null : certificate.keyManagers());
    }

    private static Mqtt5ClientBuilder hivemq(int port, @Nullable KeyManagerFactory keys) {
        return Mqtt5Client.builder()
                .serverHost("127.0.0.1")
                .serverPort(port)
                .sslConfig(MqttClientSslConfig.builder()
                        .keyManagerFactory(keys)
                        .trustManagerFactory(authority.trustManagers())
                        .build());
    }

    private static TlsConfig config(TlsEngine engine) {
        return TlsConfig.builder(server.files()).engine(engine).build();
    }

    private Broker started() {
        if (broker == null) {
            throw new IllegalStateException("not started");
        }
        return broker;
    }

    /** Gives the port of TCP, where clients need certificates. */
    private int startForCertificates(TlsEngine engine) {
        return start(config(engine).toBuilder()
                .clientCertificates(ClientCertificates.NEED)
                .authorities(authority.certificate())
                .build())[0];
    }

    private int[] start(TlsConfig tls) {
        BrokerConfig config = BrokerConfig.builder(folder.resolve("data"))
                .listener(ListenerConfig.builder("tcp", 0).tls(tls).build())
                .listener(ListenerConfig.builder("ws", 0)
                        .kind(new ListenerKind.WebSocket("/mqtt"))
                        .tls(tls)
                        .build())
                .build();
        ClientListener noting = new ClientListener() {
            @Override
            public void onConnected(ClientInfo info, boolean sessionPresent) {
                connected.add(info);
            }
        };
        BrokerExtensions extensions =
                BrokerExtensions.builder().clientListener(noting).build();
        broker = Broker.start(config, extensions, new BrokerMetrics(registry));
        return broker.listeners().stream()
                .mapToInt(one -> one.address().getPort())
                .toArray();
    }
}
