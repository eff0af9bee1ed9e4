package io.tributary.broker.tls;

import io.netty.pkitesting.CertificateBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;

/** A certificate authority, run with the {@code openssl} command as an operator would. */
public final class OpenSslAuthority {
    private static final String CONFIGURATION = """
            [ca]
            default_ca = own
            [own]
            database = index.txt
            serial = serial
            crlnumber = crlnumber
            new_certs_dir = .
            certificate = ca.pem
            private_key = ca.key
            default_md = sha256
            default_days = 365
            default_crl_days = 30
            policy = any
            copy_extensions = copy
            unique_subject = no
            [any]
            organizationName = optional
            organizationalUnitName = optional
            commonName = supplied
            [req]
            distinguished_name = none
            [none]
            [authority]
            basicConstraints = critical,CA:TRUE
            keyUsage = critical,keyCertSign,cRLSign
            subjectKeyIdentifier = hash
            """;

    private final Path folder;

    /** A certificate and its key, in PEM. */
    public record Issued(Path certificate, Path key) {
        /** As a broker's configuration has it. */
        public CertificateFiles files() {
            return CertificateFiles.of(certificate, key);
        }

        /** For clients of this JVM, which show these certificates behind their own. */
        public KeyManagerFactory keyManagers(Certificate... behind) {
            try {
                List<Certificate> chain = new ArrayList<>();
                chain.add(read(certificate));
                chain.addAll(List.of(behind));
                KeyStore store = emptyStore();
                store.setKeyEntry(
                        "client",
                        PrivateKeys.parse("key", key, Files.readAllBytes(key), null),
                        new char[0],
                        chain.toArray(Certificate[]::new));
                KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                factory.init(store, new char[0]);
                return factory;
            } catch (IOException | GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private OpenSslAuthority(Path folder) {
        this.folder = folder;
    }

    /** Makes an authority with that name. */
    public static OpenSslAuthority in(Path parent, String name) {
        OpenSslAuthority authority = new OpenSslAuthority(parent.resolve(name));
        try {
            Files.createDirectories(authority.folder);
            Files.writeString(authority.folder.resolve("ca.cnf"), CONFIGURATION);
            Files.writeString(authority.folder.resolve("index.txt"), "");
            Files.writeString(authority.folder.resolve("serial"), "01\n");
            Files.writeString(authority.folder.resolve("crlnumber"), "01\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        authority.key("ca.key");
        authority.run(
                "req",
                "-x509",
                "-config",
                "ca.cnf",
                "-extensions",
                "authority",
                "-new",
                "-key",
                "ca.key",
                "-subj",
                "/O=Test/CN=" + name,
                "-days",
                "365",
                "-out",
                "ca.pem");
        return authority;
    }

    /** The authority's own certificate. */
    public Path certificate() {
        return folder.resolve("ca.pem");
    }

    /** What trusts this authority alone, for clients of this JVM. */
    public TrustManagerFactory trustManagers() {
        try {
            KeyStore store = emptyStore();
            store.setCertificateEntry("authority", read(certificate()));
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A certificate that somebody made who has not the key of the authority with that name. */
    public static X509Certificate forged(String name) throws Exception {
        return new CertificateBuilder()
                .subject("CN=" + name + ", O=Test")
                .setIsCertificateAuthority(true)
                .buildSelfSigned()
                .getCertificate();
    }

    /** The first certificate in a file. */
    public static X509Certificate read(Path file) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    /**
     * A certificate for a server on this machine, or a client.
     *
     * @param name the common name, and the name of the files
     * @param names subject alternative names as openssl writes them, such as {@code DNS:localhost,IP:127.0.0.1}
     * @param more options for {@code openssl ca}
     */
    public Issued issue(String name, String names, String... more) {
        key(name + ".key");
        run(
                "req",
                "-new",
                "-config",
                "ca.cnf",
                "-key",
                name + ".key",
                "-subj",
                "/O=Test/OU=Unit/CN=" + name,
                "-addext",
                "subjectAltName=" + names,
                "-out",
                name + ".csr");
        List<String> sign = new ArrayList<>(
                List.of("ca", "-batch", "-notext", "-config", "ca.cnf", "-in", name + ".csr", "-out", name + ".pem"));
        sign.addAll(List.of(more));
        run(sign.toArray(String[]::new));
        return new Issued(folder.resolve(name + ".pem"), folder.resolve(name + ".key"));
    }

    /** A certificate of a server at 127.0.0.1 and localhost. */
    public Issued server(String name) {
        return issue(name, "DNS:localhost,IP:127.0.0.1");
    }

    /** A certificate of a client. */
    public Issued client(String name) {
        return issue(name, "DNS:" + name);
    }

    /** Puts a certificate on the next list. */
    public void revoke(Issued issued) {
        run("ca", "-config", "ca.cnf", "-revoke", issued.certificate().toString());
    }

    /** Writes a revocation list; options such as {@code -crldays 2} say how long it holds. */
    public Path list(String name, String... more) {
        List<String> command = new ArrayList<>(List.of("ca", "-gencrl", "-config", "ca.cnf", "-out", name));
        command.addAll(List.of(more));
        run(command.toArray(String[]::new));
        return folder.resolve(name);
    }

    /**
     * A certificate of a server at 127.0.0.1 that names a responder, with this authority's behind it.
     *
     * @param port where {@link #responder} will listen
     */
    public Issued serverWithResponder(String name, int port) {
        try {
            Path extensions = Files.writeString(
                    folder.resolve(name + ".cnf"), "authorityInfoAccess = OCSP;URI:http://127.0.0.1:" + port + "/\n");
            Issued issued = issue(name, "DNS:localhost,IP:127.0.0.1", "-extfile", extensions.toString());
            Path chain = Files.writeString(
                    folder.resolve(name + "-chain.pem"),
                    Files.readString(issued.certificate()) + Files.readString(certificate()));
            return new Issued(chain, issued.key());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Answers questions about certificates (OCSP), as a process that the caller ends; returns when it does. It answers
     * nobody any more when somebody connects and asks nothing.
     *
     * @param options such as {@code -ndays 1}, how long an answer is good; without, it does not say
     */
    public Process responder(int port, String... options) {
        List<String> command = new ArrayList<>(
                List.of("openssl", "ocsp", "-port", Integer.toString(port), "-index", "index.txt", "-CA", "ca.pem"));
        command.addAll(List.of("-rsigner", "ca.pem", "-rkey", "ca.key"));
        command.addAll(List.of(options));
        Path log = folder.resolve("responder-" + port + ".log");
        try {
            Process responder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            Awaitility.await().until(() -> Files.readString(log).contains("waiting for OCSP client connections"));
            return responder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a key of the curve P-256. */
    private void key(String name) {
        run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", name);
        close(folder.resolve(name));
    }

    /** Lets nobody but the owner read a file. */
    public static void close(Path file) {
        try {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs openssl with these arguments in the authority's folder. */
    public String run(String... arguments) {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
