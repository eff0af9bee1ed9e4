package io.tributary.broker.tls;

import static io.tributary.broker.tls.OpenSslAuthority.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.tributary.broker.tls.OpenSslAuthority.Issued;
import io.tributary.broker.tls.TlsConfig.ClientCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.security.cert.CertPathValidatorException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Files as operators have them, read and read again. */
class TlsContextsTest {
    @TempDir
    private static Path made;

    private static OpenSslAuthority authority;
    private static Issued server;
    private static Issued other;

    @TempDir
    private Path folder;

    private final Counts counts = new Counts();

    /** Notes what is counted. */
    private static final class Counts implements TlsRecorder {
        private final List<Boolean> reloads = new ArrayList<>();
        private final Map<String, DoubleSupplier> seconds = new HashMap<>();
        private BooleanSupplier isFailing = () -> false;

        @Override
        public void watched(String listener, BooleanSupplier failing) {
            isFailing = failing;
        }

        @Override
        public void reloaded(String listener, boolean isTaken) {
            reloads.add(isTaken);
        }

        @Override
        public void certificate(String listener, String host, DoubleSupplier left) {
            seconds.put(host, left);
        }
    }

    /** Counts verifications of signatures with the curves of {@link OpenSslAuthority}. */
    private static final class VerificationCounter extends Provider {
        private static final long serialVersionUID = 1;

        private final AtomicInteger begun = new AtomicInteger();

        VerificationCounter() {
            super("counter", "1", "counts verifications");
            String name = "SHA256withECDSA";
            Provider.Service real = Security.getProvider("SunEC").getService("Signature", name);
            putService(new Provider.Service(this, "Signature", name, real.getClassName(), null, null) {
                @Override
                public Object newInstance(@Nullable Object parameter) throws NoSuchAlgorithmException {
                    begun.incrementAndGet();
                    return real.newInstance(null);
                }
            });
        }

        int verifications() {
            return begun.get();
        }
    }

    @BeforeAll
    static void makeCertificates() {
        authority = OpenSslAuthority.in(made, "authority");
        server = authority.server("server");
        other = authority.server("other");
    }

    @Test
    void bothEnginesAreHere() {
        assertThat(TlsEngine.best()).isEqualTo(TlsEngine.OPENSSL);
        assertThat(TlsEngine.OPENSSL.words()).startsWith("OpenSSL (");
    }

    @ParameterizedTest
    @CsvSource({
        "rsa -traditional, RSA",
        "ec -param_enc named_curve, EC",
        "pkcs8 -topk8 -passout file:password, ENCRYPTED",
    })
    void keyIsReadInEachFormThatProgramsWrite(String command, String kind) throws IOException {
        Path password = Files.writeString(folder.resolve("password"), "a pass word\n");
        OpenSslAuthority.close(password);
        Issued identity = kind.equals("RSA") ? rsa() : server;
        List<String> arguments = new ArrayList<>(
                List.of(command.replace("file:password", "file:" + password).split(" ")));
        Path key = folder.resolve("key.pem");
        arguments.addAll(List.of("-in", identity.key().toString(), "-out", key.toString()));
        authority.run(arguments.toArray(String[]::new));
        OpenSslAuthority.close(key);
        assertThat(Files.readString(key)).contains("BEGIN " + kind + " PRIVATE KEY");

        CertificateFiles files = new CertificateFiles(
                identity.certificate(), key, kind.equals("ENCRYPTED") ? password : null, List.of());
        TlsContexts.forListener("tcp", TlsConfig.builder(files).build()).close();
    }

    private Issued rsa() {
        Path key = folder.resolve("rsa.key");
        Path certificate = folder.resolve("rsa.pem");
        authority.run(
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-keyout",
                key.toString(),
                "-subj",
                "/CN=rsa",
                "-out",
                certificate.toString());
        return new Issued(certificate, key);
    }

    @Test
    void encryptedKeyNeedsItsPassword() throws IOException {
        Path key = folder.resolve("encrypted.key");
        authority.run(
                "pkcs8", "-topk8", "-passout", "pass:right", "-in", server.key().toString(), "-out", key.toString());
        OpenSslAuthority.close(key);
        assertComplaint(
                TlsConfig.of(server.certificate(), key),
                "private-key: '" + key + "' is encrypted: private-key-password-file must say where the password is");

        Path password = Files.writeString(folder.resolve("password"), "wrong");
        OpenSslAuthority.close(password);
        assertComplaint(
                TlsConfig.builder(new CertificateFiles(server.certificate(), key, password, List.of()))
                        .build(),
                "private-key: '" + key + "' cannot be decrypted with the password in private-key-password-file");
    }

    @Test
    void keyMustBeSecretAndThatOfTheCertificate() throws IOException {
        assertComplaint(
                TlsConfig.of(server.certificate(), other.key()),
                "private-key: '" + other.key() + "' is not the key to the first certificate in '" + server.certificate()
                        + "'");

        Path open = Files.copy(server.key(), folder.resolve("open.key"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        assertComplaint(
                TlsConfig.of(server.certificate(), open),
                "private-key: '" + open + "' can be read or changed by everybody on this machine; use chmod o= on it");
        assertComplaint(
                TlsConfig.of(server.certificate(), folder.resolve("none")),
                "private-key: '" + folder.resolve("none") + "' does not exist");
        assertComplaint(
                TlsConfig.of(server.key(), server.key()),
                "certificate: '" + server.key() + "' has a certificate that cannot be read: ");
    }

    @Test
    void authoritiesMustBeThereWhenClientsShowCertificates() throws IOException {
        TlsConfig config = config();
        assertThatThrownBy(() -> config.toBuilder()
                        .clientCertificates(ClientCertificates.NEED)
                        .build())
                .hasMessageStartingWith("authorities: is missing; with client-certificates");
        Path empty = Files.writeString(folder.resolve("empty.pem"), "");
        assertComplaint(
                config.toBuilder()
                        .clientCertificates(ClientCertificates.WANT)
                        .authorities(empty)
                        .build(),
                "authorities: '" + empty + "' has no certificate");
        assertThatThrownBy(() -> config.toBuilder().crls(empty).build())
                .hasMessage("crls: '" + empty + "' has no effect without client-certificates=want or need");
    }

    @Test
    void hostsMustNotShareNames() {
        assertComplaint(
                config().toBuilder()
                        .host("a", server.files())
                        .host("b", other.files())
                        .build(),
                "hosts.b.names: 'localhost' is a name of hosts.a too; give both the names that each is for");
    }

    @ParameterizedTest
    @EnumSource
    void cipherMustBeKnown(TlsEngine engine) {
        assertComplaint(
                config().toBuilder()
                        .protocols(List.of("TLSv1.2"))
                        .ciphers(List.of("TLS_OF_SORTS"))
                        .engine(engine)
                        .build(),
                "ciphers: 'TLS_OF_SORTS' is not known to " + engine.words() + "; it knows ");
        assertThatThrownBy(
                        () -> config().toBuilder().protocols(List.of("TLSv1.1")).build())
                .hasMessage("protocols: 'TLSv1.1' must be TLSv1.3, TLSv1.2 or TLSv1.3,TLSv1.2");
    }

    @ParameterizedTest
    @EnumSource
    void clientGetsTheCertificateOfTheHostItAsksFor(TlsEngine engine) throws Exception {
        Issued europe = authority.issue("eu" + engine, "DNS:eu.example.com,DNS:*.eu.example.com");
        TlsConfig config =
                config().toBuilder().host("eu", europe.files()).engine(engine).build();
        try (TlsContexts contexts = TlsContexts.forListener("tcp", config)) {
            assertThat(commonName(contexts, null)).isEqualTo("server");
            assertThat(commonName(contexts, "us.example.com")).isEqualTo("server");
            assertThat(commonName(contexts, "eu.example.com")).isEqualTo("eu" + engine);
            assertThat(commonName(contexts, "one.eu.example.com")).isEqualTo("eu" + engine);
            assertThat(commonName(contexts, "one.more.eu.example.com")).isEqualTo("server");
        }
    }

    @ParameterizedTest
    @EnumSource
    void changedFilesAreUsedAndBrokenOnesAreNot(TlsEngine engine) throws Exception {
        Path certificate = Files.copy(server.certificate(), folder.resolve("tls.pem"));
        Path key = Files.copy(server.key(), folder.resolve("tls.key"));
        OpenSslAuthority.close(key);
        try (TlsContexts contexts = TlsContexts.forListener(
                "tcp", TlsConfig.builder(certificate, key).engine(engine).build())) {
            contexts.record(counts);
            contexts.check();
            assertThat(counts.reloads).isEmpty();

            Files.copy(other.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
            contexts.check();
            contexts.check();
            assertThat(counts.reloads).containsExactly(false); // once for a change
            assertThat(commonName(contexts, null)).isEqualTo("server");
            assertThat(contexts.warnings())
                    .singleElement()
                    .asString()
                    .startsWith("TLS of tcp: the changed files are not used, the old ones stay: private-key: ");

            Files.copy(other.key(), key, StandardCopyOption.REPLACE_EXISTING);
            contexts.check();
            assertThat(counts.reloads).containsExactly(false, true);
            assertThat(commonName(contexts, null)).isEqualTo("other");
            assertThat(contexts.warnings()).isEmpty();

            Files.delete(key);
            contexts.check();
            assertThat(commonName(contexts, null)).isEqualTo("other");
            assertThat(contexts.warnings().getFirst()).endsWith("does not exist");
        }
    }

    /** For an alert that stays for as long as the wrong files do. */
    @Test
    void reloadFailsUntilTheFilesAreRightOrThoseOfBefore() throws Exception {
        Path certificate = Files.copy(server.certificate(), folder.resolve("tls.pem"));
        Path key = Files.copy(server.key(), folder.resolve("tls.key"));
        OpenSslAuthority.close(key);
        try (TlsContexts contexts = TlsContexts.forListener(
                "tcp", TlsConfig.builder(certificate, key).build())) {
            contexts.record(counts);
            contexts.check();
            assertThat(counts.isFailing.getAsBoolean()).isFalse();

            Files.copy(other.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
            contexts.check();
            contexts.check();
            assertThat(counts.isFailing.getAsBoolean()).isTrue();
            Files.copy(server.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
            contexts.check();
            assertThat(counts.isFailing.getAsBoolean()).isFalse();

            Files.copy(other.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
            contexts.check();
            assertThat(counts.isFailing.getAsBoolean()).isTrue();
            Files.copy(other.key(), key, StandardCopyOption.REPLACE_EXISTING);
            contexts.check();
            assertThat(counts.isFailing.getAsBoolean()).isFalse();
        }
    }

    /** As Kubernetes does it: a link to a folder of links. */
    @Test
    void filesBehindLinksAreReadAgainWhenTheLinkIsTurned() throws Exception {
        for (Issued issued : List.of(server, other)) {
            Path version = Files.createDirectory(
                    folder.resolve("..version-" + issued.key().getFileName()));
            Files.copy(issued.certificate(), version.resolve("tls.crt"));
            Files.copy(issued.key(), version.resolve("tls.key"));
        }
        Path data = Files.createSymbolicLink(folder.resolve("..data"), folder.resolve("..version-server.key"));
        Path certificate = Files.createSymbolicLink(folder.resolve("tls.crt"), Path.of("..data/tls.crt"));
        Path key = Files.createSymbolicLink(folder.resolve("tls.key"), Path.of("..data/tls.key"));
        try (TlsContexts contexts = TlsContexts.forListener("tcp", TlsConfig.of(certificate, key))) {
            contexts.record(counts);
            Path turned = Files.createSymbolicLink(folder.resolve("..tmp"), folder.resolve("..version-other.key"));
            Files.move(turned, data, StandardCopyOption.ATOMIC_MOVE);
            contexts.check();
            assertThat(counts.reloads).containsExactly(true);
            assertThat(commonName(contexts, null)).isEqualTo("other");
        }
    }

    @Test
    void expiredCertificateIsUsedWithAWarning() {
        Issued expired = authority.issue(
                "expired", "DNS:localhost", "-startdate", "20200101000000Z", "-enddate", "20210101000000Z");
        try (TlsContexts contexts =
                TlsContexts.forListener("tcp", TlsConfig.of(expired.certificate(), expired.key()))) {
            contexts.record(counts);
            assertThat(contexts.warnings())
                    .containsExactly("TLS of tcp: the certificate of default has expired at 2021-01-01T00:00:00Z");
            assertThat(seconds("default")).isNegative();
        }
    }

    @Test
    void logSaysThirtySevenAndOneDaysBeforeACertificateExpires() throws Exception {
        Instant end = end(server);
        AtomicReference<Instant> now = new AtomicReference<>(end.minus(Duration.ofDays(31)));
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(ExpiryNotices.class);
        logger.addAppender(log);
        try (TlsContexts contexts = TlsContexts.at(now::get, "tcp", config())) {
            List<Integer> days = new ArrayList<>();
            for (int left = 31; left >= -1; left--) {
                now.set(end.minus(Duration.ofDays(left)).plusSeconds(1));
                int before = log.list.size();
                contexts.check();
                contexts.check();
                if (log.list.size() == before + 1) {
                    days.add(left);
                }
            }
            assertThat(days).containsExactly(30, 7, 1, 0);
            assertThat(log.list)
                    .extracting(ILoggingEvent::getLevel)
                    .containsExactly(Level.WARN, Level.WARN, Level.WARN, Level.ERROR);
            assertThat(log.list.getFirst().getFormattedMessage())
                    .startsWith("TLS of tcp: the certificate of default (CN=server")
                    .endsWith(" expires at " + end);
        } finally {
            logger.detachAppender(log);
        }
    }

    @Test
    void secondsUntilEachCertificateExpiresAreShown() {
        Instant end = Instant.now().plus(Duration.ofDays(365));
        AtomicReference<Instant> now = new AtomicReference<>(end.minus(Duration.ofDays(8)));
        try (TlsContexts contexts = TlsContexts.at(
                now::get,
                "tcp",
                config().toBuilder().host("more", other.files()).build())) {
            contexts.record(counts);
            assertThat(seconds("default")).isBetween(7.9 * 86_400, 8.1 * 86_400);
            assertThat(seconds("more")).isBetween(7.9 * 86_400, 8.1 * 86_400);
        }
    }

    @Test
    void listsMustBeThoseOfTheAuthorities() throws IOException {
        OpenSslAuthority stranger = OpenSslAuthority.in(folder, "authority");
        TlsConfig config = config().toBuilder()
                .clientCertificates(ClientCertificates.NEED)
                .authorities(authority.certificate())
                .build();
        Path list = stranger.list("crl.pem");
        assertComplaint(
                config.toBuilder().crls(list).build(), "crls: '" + list + "' is not signed by CN=authority, O=Test");
        Path none = Files.createDirectory(folder.resolve("lists"));
        assertComplaint(config.toBuilder().crls(none).build(), "crls: '" + none + "' has no revocation list");
        Path wrong = Files.writeString(none.resolve("list.pem"), "nothing");
        assertComplaint(config.toBuilder().crls(none).build(), "crls: '" + wrong + "' is no revocation list");
    }

    @Test
    void revokedCertificateIsFoundBehindACertificateThatHasTheNameOfItsAuthority() throws Exception {
        OpenSslAuthority real = OpenSslAuthority.in(folder.resolve("real"), "same");
        OpenSslAuthority bogus = OpenSslAuthority.in(folder.resolve("bogus"), "same");
        Issued revoked = real.client("revoked");
        Issued valid = real.client("valid");
        real.revoke(revoked);
        TlsConfig config = config().toBuilder()
                .clientCertificates(ClientCertificates.NEED)
                .authorities(real.certificate())
                .crls(real.list("crl.pem"))
                .build();
        try (TlsContexts contexts = TlsContexts.forListener("tcp", config)) {
            X509Certificate one = read(revoked.certificate());
            for (Path behind : List.of(bogus.certificate(), real.certificate())) {
                assertThat(contexts.revoked(List.of(one, read(behind)))).isEqualTo(one);
                assertThat(contexts.revoked(List.of(read(valid.certificate()), read(behind))))
                        .isNull();
            }
        }
    }

    @Test
    void certificatesThatHaveTheNameOfAnAuthorityCostOneVerificationEach() throws Exception {
        OpenSslAuthority real = OpenSslAuthority.in(folder.resolve("real"), "same");
        Issued client = real.client("client");
        TlsConfig config = config().toBuilder()
                .clientCertificates(ClientCertificates.NEED)
                .authorities(real.certificate())
                .crls(real.list("crl.pem"))
                .build();
        List<X509Certificate> shown = new ArrayList<>(List.of(read(client.certificate()), read(real.certificate())));
        for (int i = 0; i < 300; i++) {
            shown.add(OpenSslAuthority.forged("same"));
        }
        VerificationCounter counter = new VerificationCounter();
        Security.insertProviderAt(counter, 1);
        try (TlsContexts contexts = TlsContexts.forListener("tcp", config)) {
            assertThat(contexts.revoked(shown)).isNull();
            assertThat(counter.verifications()).isBetween(300, 310);
        } finally {
            Security.removeProvider(counter.getName());
        }
    }

    /** Authorities between the root and a client's issuer need no list; a client that is such an authority does. */
    @Test
    void clientWithTheCertificateOfAnAuthorityNeedsAListToo() throws Exception {
        OpenSslAuthority unlisted = OpenSslAuthority.in(folder, "unlisted");
        Path extensions = Files.writeString(folder.resolve("ca.cnf"), "basicConstraints = critical,CA:TRUE\n");
        Issued below = unlisted.issue("below", "DNS:below", "-extfile", extensions.toString());
        X509Certificate[] shown = {read(below.certificate())};
        Path authorities = Files.writeString(
                folder.resolve("authorities.pem"),
                Files.readString(authority.certificate()) + Files.readString(unlisted.certificate()));
        Path lists = Files.createDirectory(folder.resolve("lists"));
        Files.copy(authority.list("own.crl"), lists.resolve("own.crl"));
        TlsConfig config = config().toBuilder()
                .clientCertificates(ClientCertificates.NEED)
                .authorities(authorities)
                .crls(lists)
                .build();
        assertThatThrownBy(() -> trusted(config).checkClientTrusted(shown, "EC"))
                .rootCause()
                .isInstanceOf(CertPathValidatorException.class)
                .hasMessage("no revocation list of CN=unlisted, O=Test");
        trusted(config.toBuilder().acceptsOutdatedCrls(true).build()).checkClientTrusted(shown, "EC");

        Files.copy(unlisted.list("below.crl"), lists.resolve("below.crl"));
        trusted(config).checkClientTrusted(shown, "EC");
    }

    private static X509ExtendedTrustManager trusted(TlsConfig config) {
        return TlsMaterial.of(config, TlsFiles.read(config), InstantSource.system())
                .trustManager();
    }

    @Test
    void listThatIsNearlyOutdatedIsAWarning() {
        Path list = authority.list("nearly.pem", "-crldays", "10");
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now().plus(Duration.ofDays(8)));
        TlsConfig config = config().toBuilder()
                .clientCertificates(ClientCertificates.NEED)
                .authorities(authority.certificate())
                .crls(list)
                .build();
        try (TlsContexts contexts = TlsContexts.at(now::get, "tcp", config)) {
            assertThat(contexts.warnings()).isEmpty();
            now.set(Instant.now().plus(Duration.ofDays(9)).plus(Duration.ofHours(1)));
            assertThat(contexts.warnings().getFirst()).contains("CN=authority, O=Test will be outdated at ");
            now.set(Instant.now().plus(Duration.ofDays(11)));
            assertThat(contexts.warnings().getFirst())
                    .contains(" is outdated since ")
                    .endsWith("are refused");
        }
    }

    private static Instant end(Issued issued) throws Exception {
        return read(issued.certificate()).getNotAfter().toInstant();
    }

    private double seconds(String host) {
        DoubleSupplier left = counts.seconds.get(host);
        assertThat(left).isNotNull();
        return left.getAsDouble();
    }

    private static TlsConfig config() {
        return TlsConfig.builder(server.files()).build();
    }

    private static void assertComplaint(TlsConfig config, String words) {
        assertThatThrownBy(() -> TlsContexts.forListener("tcp", config).close())
                .isInstanceOf(TlsException.class)
                .hasMessageStartingWith(words);
    }

    /** The name in the certificate that a client gets, by way of a handshake between two engines. */
    private static String commonName(TlsContexts contexts, @Nullable String host) throws Exception {
        SslHandler accepted = contexts.accepted(UnpooledByteBufAllocator.DEFAULT, host);
        try {
            return EngineHandshake.shown(accepted.engine());
        } finally {
            ReferenceCountUtil.release(accepted.engine());
        }
    }
}
