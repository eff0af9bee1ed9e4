package io.tributary.security.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a server with TLS whose certificate changes. */
class WebClientTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final X509Bundle former = authority("CN=former");
    private final X509Bundle next = authority("CN=next");
    private HttpsServer server;

    @BeforeEach
    void start() throws Exception {
        server = serve(0, former);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    /** To a new authority: both are trusted, the server shows the new one's certificate, that one alone is trusted. */
    @Test
    void authorityIsExchangedWithoutANewClient() throws Exception {
        Path trusted = Files.writeString(folder.resolve("trusted.pem"), former.getCertificatePEM());
        Path trustedOnce = Files.writeString(folder.resolve("trusted-once.pem"), former.getCertificatePEM());
        try (WebClient client = new WebClient(trusted, Duration.ofSeconds(5));
                WebClient other = new WebClient(trustedOnce, Duration.ofSeconds(5))) {
            assertThat(ask(client)).isEqualTo(204);
            Files.writeString(trusted, former.getCertificatePEM() + next.getCertificatePEM());
            assertThat(ask(client)).isEqualTo(204);
            exchange(next);
            assertThat(ask(client)).isEqualTo(204);
            assertThatThrownBy(() -> ask(other))
                    .hasRootCauseMessage("unable to find valid certification path to requested target");
            Files.writeString(trusted, "half of a certificate"); // is not used
            exchange(next);
            assertThat(ask(client)).isEqualTo(204);
            Files.writeString(trusted, next.getCertificatePEM());
            exchange(former);
            assertThatThrownBy(() -> ask(client))
                    .hasRootCauseMessage("unable to find valid certification path to requested target");
        }
    }

    /** As by a file that is written in two steps, within the resolution of its time. */
    @Test
    void authoritiesThatCouldNotBeReadAreReadAgain() throws Exception {
        Path trusted = Files.writeString(folder.resolve("trusted.pem"), former.getCertificatePEM());
        FileTime changed = FileTime.fromMillis(5_000);
        try (WebClient client = new WebClient(trusted, Duration.ofSeconds(5))) {
            exchange(next);
            Files.writeString(trusted, "half of a certificate");
            Files.setLastModifiedTime(trusted, changed);
            assertThatThrownBy(() -> ask(client))
                    .hasRootCauseMessage("unable to find valid certification path to requested target");
            Files.writeString(trusted, next.getCertificatePEM());
            Files.setLastModifiedTime(trusted, changed);
            assertThat(ask(client)).isEqualTo(204);
        }
    }

    @Test
    void certificateOfAnotherHostIsRefused() throws Exception {
        Path trusted = Files.writeString(folder.resolve("trusted.pem"), former.getCertificatePEM());
        try (WebClient client = new WebClient(trusted, Duration.ofSeconds(5))) {
            assertThatThrownBy(() -> ask(client, "127.0.0.1")).hasStackTraceContaining("subject alternative names");
        }
    }

    /** Over that, all requests would have one connection, and none a new one while that is dead. */
    @Test
    void serverThatOffersHttp2IsNotAskedOverIt() throws Exception {
        Path trusted = Files.writeString(folder.resolve("trusted.pem"), former.getCertificatePEM());
        try (WebClient client = new WebClient(trusted, Duration.ofSeconds(5))) {
            assertThat(ask(client)).isEqualTo(204);
        }
    }

    /** A proxy has a shorter patience with idle connections than this side. */
    @Test
    void requestIsSentAgainWhenItMeetsTheEndOfAnIdleConnection() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                WebClient client = new WebClient(null, Duration.ofSeconds(5))) {
            List<Integer> requests = new CopyOnWriteArrayList<>();
            Thread.ofVirtual().start(() -> {
                for (int most : new int[] {1, 1}) {
                    serve(listening, most, requests);
                }
            });
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + listening.getLocalPort() + "/"))
                    .POST(BodyPublishers.noBody())
                    .build();
            for (int i = 0; i < 2; i++) {
                assertThat(client.send(request, Duration.ofSeconds(10), 100)
                                .join()
                                .statusCode())
                        .isEqualTo(204);
            }
            assertThat(requests)
                    .as("read by connection, with the one that is not answered")
                    .hasSizeGreaterThan(2);
        }
    }

    /** Answers so many requests of one connection, and closes it when it has read the next. */
    private static void serve(ServerSocket listening, int most, List<Integer> requests) {
        try (Socket socket = listening.accept()) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            for (int i = 0; i <= most; i++) {
                String line = in.readLine();
                while (line != null && !line.isEmpty()) {
                    line = in.readLine();
                }
                requests.add(i);
                if (i < most) {
                    socket.getOutputStream()
                            .write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void fileWithoutCertificatesIsRefused() throws Exception {
        Path empty = Files.writeString(folder.resolve("empty.pem"), "");
        assertThatThrownBy(() -> new WebClient(empty, Duration.ofSeconds(5)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no certificate (PEM)");
    }

    private int ask(WebClient client) {
        return ask(client, "localhost");
    }

    private int ask(WebClient client, String host) {
        URI uri = URI.create("https://" + host + ":" + server.getAddress().getPort() + "/");
        HttpRequest request = HttpRequest.newBuilder(uri).build();
        return client.send(request, Duration.ofSeconds(10), 100).join().statusCode();
    }

    private void exchange(X509Bundle by) throws Exception {
        int port = server.getAddress().getPort();
        server.stop(0);
        server = serve(port, by);
    }

    private static HttpsServer serve(int port, X509Bundle by) throws Exception {
        X509Bundle own = new CertificateBuilder()
                .subject("CN=localhost")
                .addSanDnsName("localhost")
                .buildIssuedBy(by);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(own.toKeyManagerFactory().getKeyManagers(), null, null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setHttpsConfigurator(new OffersHttp2(tls));
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        return server;
    }

    /** Has a client that would take HTTP/2 begin with that, which the server does not understand. */
    private static final class OffersHttp2 extends HttpsConfigurator {
        private OffersHttp2(SSLContext tls) {
            super(tls);
        }

        @Override
        public void configure(HttpsParameters connection) {
            SSLParameters parameters = getSSLContext().getDefaultSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2", "http/1.1"});
            connection.setSSLParameters(parameters);
        }
    }

    private static X509Bundle authority(String name) {
        try {
            return new CertificateBuilder()
                    .subject(name)
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
