package io.tributary.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.tls.OpenSslAuthority;
import io.tributary.broker.tls.OpenSslAuthority.Issued;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.broker.tls.TlsContexts;
import io.tributary.broker.tls.TlsEngine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the authority says of the broker's certificate: {@code openssl ocsp} answers, and openssl is the client. */
class OcspStaplingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration INTERVAL = Duration.ofMillis(100);

    @TempDir
    private static Path made;

    private static OpenSslAuthority authority;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makeAuthority() {
        authority = OpenSslAuthority.in(made, "authority");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_3", "-tls1_2"})
    void clientsThatAskGetTheAnswerOfTheResponder(String version) throws Exception {
        int port = freePort();
        Issued server = authority.serverWithResponder("good" + version, port);
        Process responder = authority.responder(port, "-ndays", "1");
        try (Broker broker = start(server)) {
            await().atMost(PATIENCE).until(() -> status(broker, version).contains("OCSP Response Status: successful"));
            assertThat(status(broker, version)).contains("Cert Status: good", "Verify return code: 0 (ok)");
            responder.destroy();
            responder.waitFor();
            assertThat(status(broker, version)).contains("Cert Status: good");
            assertThat(broker.status().warnings()).isEmpty();
        } finally {
            responder.destroy();
        }
    }

    @Test
    void clientsGetNothingAndHealthWarnsWhenTheResponderIsAway() throws Exception {
        int port = freePort();
        try (Broker broker = start(authority.serverWithResponder("alone", port))) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.status().warnings())
                            .singleElement()
                            .asString()
                            .startsWith("TLS of tcp: clients are given no answer of OCSP: the OCSP responder"
                                    + " http://127.0.0.1:" + port + "/: it does not answer: "));
            assertThat(status(broker, "-tls1_3")).contains("OCSP response: no response sent");
        }
    }

    @Test
    void answerThatIsNotGoodIsNotGivenOn() throws Exception {
        int port = freePort();
        Issued server = authority.serverWithResponder("revoked", port);
        authority.revoke(new Issued(made.resolve("authority/revoked.pem"), server.key()));
        Process responder = authority.responder(port, "-ndays", "1");
        try {
            try (Broker broker = start(server)) {
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(broker.status().warnings())
                                .singleElement()
                                .asString()
                                .contains("its answer cannot be used: ", "revoked"));
                assertThat(status(broker, "-tls1_3")).contains("OCSP response: no response sent");
            }
        } finally {
            responder.destroy();
        }
    }

    /** It might take the broker's memory, and come from somebody on the way: it is fetched without encryption. */
    @ParameterizedTest
    @CsvSource({"65536, its answer cannot be used: ", "65537, it does not answer: "})
    void answerThatIsTooLargeIsNotTaken(int bytes, String words) throws Exception {
        HttpServer responder = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        responder.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, bytes);
            exchange.getResponseBody().write(new byte[bytes]);
            exchange.close();
        });
        responder.start();
        try (Broker broker = start(authority.serverWithResponder(
                "large" + bytes, responder.getAddress().getPort()))) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.status().warnings())
                            .singleElement()
                            .asString()
                            .contains(words));
        } finally {
            responder.stop(0);
        }
    }

    @Test
    void certificatesWithoutWhatItNeedsAreNamed() {
        Issued plain = authority.server("plain");
        assertComplaint(
                TlsConfig.builder(plain.files()).ocspStapling(true).build(),
                "ocsp-stapling: 'true' needs the certificate of the issuer behind the certificate, in its file");
        Issued chain = new Issued(
                authority.serverWithResponder("chained", 1).certificate(), made.resolve("authority/chained.key"));
        assertComplaint(
                TlsConfig.builder(chain.files())
                        .engine(TlsEngine.JDK)
                        .ocspStapling(true)
                        .build(),
                "ocsp-stapling: 'true' needs OpenSSL");
    }

    private static void assertComplaint(TlsConfig config, String words) {
        assertThatThrownBy(() -> TlsContexts.forListener("tcp", config)).hasMessageStartingWith(words);
    }

    private Broker start(Issued server) {
        TlsConfig tls = TlsConfig.builder(server.files()).ocspStapling(true).build();
        BrokerConfig config = BrokerConfig.builder(folder.resolve("data"))
                .listener(ListenerConfig.builder("tcp", 0).tls(tls).build())
                .build();
        BrokerMetrics metrics = BrokerMetrics.unregistered();
        return Broker.start(
                config, BrokerExtensions.NONE, metrics, (_, _) -> Standalone.open(config, metrics), INTERVAL);
    }

    private static String status(Broker broker, String version) {
        int port = broker.listeners().getFirst().address().getPort();
        List<String> words = List.of(
                "s_client",
                "-status",
                version,
                "-CAfile",
                authority.certificate().toString(),
                "-connect",
                "127.0.0.1:" + port);
        return authority.run(words.toArray(String[]::new));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
