package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.tls.CertificateFiles;
import io.tributary.broker.tls.OpenSslAuthority;
import io.tributary.broker.tls.OpenSslAuthority.Issued;
import io.tributary.broker.tls.TlsConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings of TLS, right and wrong. */
class TlsStartTest {
    private static final String TLS = "tributary.listeners.tcp.tls.";

    @TempDir
    private static Path folder;

    private static OpenSslAuthority authority;
    private static Issued server;
    private static Issued other;

    @BeforeAll
    static void makeCertificates() {
        authority = OpenSslAuthority.in(folder, "authority");
        server = authority.server("server");
        other = authority.issue("eu", "DNS:eu.example.com");
    }

    @Test
    void thereIsNoTlsWithoutACertificate() {
        assertThat(Applications.config().listeners())
                .extracting(ListenerConfig::tls)
                .containsOnlyNulls();
    }

    @Test
    void settingsAreWhatTheBrokerIsTold() {
        TlsConfig tls = tls(
                "certificate=" + server.certificate(),
                "private-key=" + server.key(),
                "client-certificates=want",
                "authorities=" + authority.certificate(),
                "crls=" + authority.list("crl.pem"),
                "crl-outdated=accept",
                "protocols=TLSv1.2",
                "ciphers=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                "handshake-timeout=3s",
                "max-handshakes=7",
                "hosts.eu.certificate=" + other.certificate(),
                "hosts.eu.private-key=" + other.key(),
                "hosts.eu.names=eu.example.com, *.eu.example.com");

        assertThat(tls)
                .isEqualTo(TlsConfig.of(server.files())
                        .withHost(
                                "eu",
                                new CertificateFiles(
                                        other.certificate(),
                                        other.key(),
                                        null,
                                        List.of("eu.example.com", "*.eu.example.com")))
                        .withClientCertificates(TlsConfig.ClientCertificates.WANT, authority.certificate())
                        .withCrls(folder.resolve("authority/crl.pem"), true)
                        .withProtocols(List.of("TLSv1.2"), List.of("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"))
                        .withHandshakes(Duration.ofSeconds(3), 7));
    }

    @Test
    void wrongSettingsStopTheStartWithTheirNames() throws Exception {
        assertThat(failure("private-key=" + server.key()))
                .isEqualTo(TLS + "certificate: is missing; TLS needs both, certificate and private-key");
        assertThat(failure("certificate=" + server.certificate(), "private-key=" + other.key()))
                .startsWith(TLS + "private-key: '" + other.key() + "' is not the key to the first certificate");
        Path open = Files.copy(server.key(), folder.resolve("open.key"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(failure("certificate=" + server.certificate(), "private-key=" + open))
                .startsWith(TLS + "private-key: '" + open + "' can be read or changed by everybody");
        assertThat(failure(
                        "certificate=" + server.certificate(),
                        "private-key=" + server.key(),
                        "client-certificates=need"))
                .startsWith(TLS + "authorities: is missing");
        assertThat(failure(
                        "certificate=" + server.certificate(),
                        "private-key=" + server.key(),
                        "hosts.eu.certificate=" + other.certificate(),
                        "hosts.eu.private-key=" + server.key()))
                .startsWith(TLS + "hosts.eu.private-key: '" + server.key() + "' is not the key");
        assertThat(failure("certificate=" + server.certificate(), "private-key=" + server.key(), "protocols=TLSv1.1"))
                .isEqualTo(TLS + "protocols: 'TLSv1.1' must be TLSv1.3, TLSv1.2 or TLSv1.3,TLSv1.2");
    }

    private static @Nullable TlsConfig tls(String... settings) {
        return Applications.config(arguments(settings)).listeners().getFirst().tls();
    }

    private static String failure(String... settings) {
        return Applications.failure(arguments(settings));
    }

    private static String[] arguments(String... settings) {
        List<String> arguments = new ArrayList<>(
                List.of("--tributary.data-dir=" + folder.resolve("data"), "--tributary.listeners.ws.enabled=false"));
        for (String setting : settings) {
            arguments.add("--" + TLS + setting);
        }
        return arguments.toArray(String[]::new);
    }
}
