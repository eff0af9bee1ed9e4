package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.tls.OpenSslAuthority;
import io.tributary.broker.tls.OpenSslAuthority.Issued;
import io.tributary.cli.Program;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine;

/** Health and metrics over https. */
class HttpTlsTest {
    private static final String READINESS = "/actuator/health/readiness";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;

    private static OpenSslAuthority authority;
    private static Issued first;
    private static Issued second;

    @BeforeAll
    static void makeCertificates() {
        authority = OpenSslAuthority.in(folder, "authority");
        first = authority.server("first");
        second = authority.server("second");
    }

    @Tag("long")
    @Test
    void filesAreReadAgainAndWrongOnesAreAWarning() throws Exception {
        Path certificate = folder.resolve("tls.crt");
        Path key = folder.resolve("tls.key");
        put(first.certificate(), certificate);
        put(first.key(), key);
        try (ConfigurableApplicationContext context = start("certificate=" + certificate, "private-key=" + key)) {
            int port = port(context);
            assertThat(StartReport.managementLines(context.getEnvironment()))
                    .containsExactly("health at https://127.0.0.1:" + port + "/actuator/health, metrics at"
                            + " https://127.0.0.1:" + port + "/actuator/prometheus");
            try (HttpClient client = client(null)) {
                await().until(() -> get(client, port, READINESS).body().contains("\"UP\""));
                assertThat(subject(get(client, port, READINESS))).contains("CN=first");
                assertThat(get(client, port, "/actuator/prometheus").body())
                        .contains("tributary_tls_certificate_expiry_seconds{host=\"default\",listener=\"http\"}")
                        .contains("tributary_tls_reload_failing{listener=\"http\"} 0.0")
                        .contains("tributary_tls_reloads_total{listener=\"http\",outcome=\"failure\"} 0.0");
            }
            assertThat(plain(port)).startsWith("HTTP/1.1 400");
            StringWriter said = new StringWriter();
            assertThat(new CommandLine(new HealthCommand())
                            .setOut(new PrintWriter(said))
                            .execute("--port=" + port))
                    .isZero();
            assertThat(said.toString()).contains("\"UP\"");

            put(second.key(), key);
            put(second.certificate(), certificate);
            await().atMost(PATIENCE).until(() -> subject(fresh(port)).contains("CN=second"));
            put(first.key(), key);
            await().atMost(PATIENCE)
                    .until(() -> fresh(port)
                            .body()
                            .contains("TLS of http: the changed files are not used, the old ones stay: private-key: "));
            assertThat(subject(fresh(port))).contains("CN=second");
        }
    }

    @Test
    void whoShowsNoCertificateReadsNothingWhenOneIsNeeded() throws Exception {
        Issued prometheus = authority.client("prometheus");
        Issued revoked = authority.client("revoked");
        authority.revoke(revoked);
        try (ConfigurableApplicationContext context = start(
                "certificate=" + first.certificate(),
                "private-key=" + first.key(),
                "client-certificates=need",
                "authorities=" + authority.certificate(),
                "crls=" + authority.list("crl.pem"))) {
            int port = port(context);
            try (HttpClient known = client(prometheus);
                    HttpClient stranger = client(null);
                    HttpClient former = client(revoked)) {
                assertThat(get(known, port, READINESS).statusCode()).isEqualTo(200);
                assertThatThrownBy(() -> get(stranger, port, READINESS)).isInstanceOf(IOException.class);
                assertThatThrownBy(() -> get(former, port, READINESS)).isInstanceOf(IOException.class);
            }
            StringWriter said = new StringWriter();
            int exit = Program.commandLine(new DrainCommand())
                    .setErr(new PrintWriter(said, true))
                    .execute(
                            "--status",
                            "--url=https://127.0.0.1:" + port,
                            "--ca=" + authority.certificate(),
                            "--token-file=" + folder.resolve("data/admin.token"));
            assertThat(exit).isOne();
            assertThat(said.toString()).contains("asks for a client certificate, which this command has none of");
        }
    }

    @Test
    void wrongSettingsStopTheStartWithTheirNames() {
        assertThat(failure("certificate=" + first.certificate(), "private-key=" + second.key()))
                .startsWith("tributary.http.tls.private-key: '" + second.key() + "' is not the key to the first");
        assertThat(failure("private-key=" + second.key())).startsWith("tributary.http.tls.certificate: is missing");
        List<String> both =
                new ArrayList<>(List.of(arguments("certificate=" + first.certificate(), "private-key=" + first.key())));
        both.add("--management.server.port=0");
        assertThat(Applications.failure(both.toArray(String[]::new)))
                .startsWith("management.server.port: cannot be set beside tributary.http.tls.certificate");
    }

    private static ConfigurableApplicationContext start(String... settings) {
        return TributaryApplication.application(ApplicationConfiguration.class).run(arguments(settings));
    }

    private static String failure(String... settings) {
        return Applications.failure(arguments(settings));
    }

    private static String[] arguments(String... settings) {
        List<String> arguments = new ArrayList<>(List.of(
                "--tributary.data-dir=" + folder.resolve("data"),
                "--tributary.listeners.tcp.port=0",
                "--tributary.listeners.ws.enabled=false",
                "--server.port=0"));
        for (String setting : settings) {
            arguments.add("--tributary.http.tls." + setting);
        }
        return arguments.toArray(String[]::new);
    }

    private static int port(ConfigurableApplicationContext context) {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    private static HttpClient client(@Nullable Issued own) throws Exception {
        SSLContext tls = SSLContext.getInstance("TLS");
        KeyManager[] keys = own == null ? null : own.keyManagers().getKeyManagers();
        tls.init(keys, authority.trustManagers().getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(tls).build();
    }

    /** The answer over a connection of its own. */
    private static HttpResponse<String> fresh(int port) throws Exception {
        try (HttpClient client = client(null)) {
            return get(client, port, READINESS);
        }
    }

    private static HttpResponse<String> get(HttpClient client, int port, String path) throws Exception {
        URI address = URI.create("https://127.0.0.1:" + port + path);
        return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String subject(HttpResponse<String> response) throws Exception {
        X509Certificate shown =
                (X509Certificate) response.sslSession().orElseThrow().getPeerCertificates()[0];
        return shown.getSubjectX500Principal().getName();
    }

    private static String plain(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            socket.getOutputStream()
                    .write(("GET " + READINESS + " HTTP/1.0\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private static void put(Path from, Path to) throws IOException {
        Path next = Files.copy(from, to.resolveSibling("next"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.move(next, to, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
