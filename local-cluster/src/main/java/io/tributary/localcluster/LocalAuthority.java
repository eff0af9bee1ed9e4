package io.tributary.localcluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A certificate authority of its own, and the one certificate that it has given out: that of all servers on 127.0.0.1.
 * Both are made when it is created, with the {@code keytool} of this JDK, and hold for two days. The files are PEM.
 */
public final class LocalAuthority {
    private static final String AUTHORITY = "authority";
    private static final String SERVER = "server";

    private final Path certificates;
    private final Path serverCertificate;
    private final Path serverKey;
    private final Path serverChain;

    private LocalAuthority(Path directory) {
        certificates = directory.resolve("authority.pem");
        serverCertificate = directory.resolve("server.pem");
        serverKey = directory.resolve("server-key.pem");
        serverChain = directory.resolve("server-chain.pem");
    }

    /**
     * Creates one that nobody else knows.
     *
     * @param directory for its files; made if it is not there, and used by nothing else
     * @throws LocalClusterException if that fails
     */
    public static LocalAuthority in(Path directory) {
        LocalAuthority authority = new LocalAuthority(directory.toAbsolutePath());
        try {
            Files.createDirectories(directory);
            authority.create(directory.resolve("keys.p12"));
            return authority;
        } catch (IOException | GeneralSecurityException e) {
            throw new LocalClusterException("no certificates can be made in " + directory, e);
        }
    }

    /** The authority's certificate: what clients trust. */
    public Path certificates() {
        return certificates;
    }

    /** The servers' certificate. */
    public Path serverCertificate() {
        return serverCertificate;
    }

    /** The servers' private key. */
    public Path serverKey() {
        return serverKey;
    }

    /** The servers' private key and certificate, and the authority's certificate, in one file. */
    Path serverChain() {
        return serverChain;
    }

    private void create(Path store) throws IOException, GeneralSecurityException {
        String password = UUID.randomUUID().toString();
        keytool(
                store,
                password,
                AUTHORITY,
                "-dname",
                "CN=Authority " + UUID.randomUUID(),
                "-ext",
                "bc:critical=ca:true");
        keytool(
                store,
                password,
                SERVER,
                "-dname",
                "CN=Servers of a test",
                "-ext",
                "san=ip:127.0.0.1",
                "-signer",
                AUTHORITY);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, password.toCharArray());
        }
        Files.delete(store);
        String trusted = certificate(keys.getCertificate(AUTHORITY));
        String server = certificate(keys.getCertificate(SERVER));
        String key =
                pem("PRIVATE KEY", keys.getKey(SERVER, password.toCharArray()).getEncoded());
        Files.writeString(certificates, trusted);
        Files.writeString(serverCertificate, server);
        PrivateFile.write(serverKey, List.of(key));
        PrivateFile.write(serverChain, List.of(key, server, trusted));
    }

    private static void keytool(Path store, String password, String alias, String... more) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass:env",
                "STORE_PASSWORD",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "2"));
        command.addAll(List.of(more));
        Commands.run(command, Map.of("STORE_PASSWORD", password));
    }

    private static String certificate(Certificate certificate) throws GeneralSecurityException {
        return pem("CERTIFICATE", certificate.getEncoded());
    }

    private static String pem(String what, byte[] bytes) {
        Base64.Encoder lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
        return "-----BEGIN " + what + "-----\n" + lines.encodeToString(bytes) + "\n-----END " + what + "-----";
    }
}
