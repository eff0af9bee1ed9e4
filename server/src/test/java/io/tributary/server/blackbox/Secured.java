package io.tributary.server.blackbox;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.tls.OpenSslAuthority;
import io.tributary.broker.tls.OpenSslAuthority.Issued;
import io.tributary.common.mqtt.ProtocolVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * TLS and a password at the TCP listener of brokers, and what clients need for it. For all threads.
 *
 * @param authority what clients trust
 * @param settings of the brokers
 */
public record Secured(OpenSslAuthority authority, List<String> settings) {
    /** The user that brokers know. */
    public static final String USER = "secured";

    /** The user's password. */
    public static final String PASSWORD = "of no use elsewhere";

    private static final int ITERATIONS = 101;
    private static final int HASH_BITS = 512;

    /** Makes all files in a folder, which is made, too. */
    public static Secured in(Path folder) {
        OpenSslAuthority authority = OpenSslAuthority.in(folder, "authority");
        Issued server = authority.server("server");
        return new Secured(
                authority,
                List.of(
                        "--tributary.listeners.tcp.tls.certificate=" + server.certificate(),
                        "--tributary.listeners.tcp.tls.private-key=" + server.key(),
                        "--tributary.listeners.tcp.authentication=users",
                        "--tributary.security.authenticators.users.kind=file",
                        "--tributary.security.authenticators.users.file=" + users(folder.resolve("users"))));
    }

    /** A password file as {@code mosquitto_passwd} writes it. */
    private static Path users(Path file) {
        byte[] salt = new byte[12];
        Base64.Encoder base64 = Base64.getEncoder();
        try {
            byte[] hash = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512")
                    .generateSecret(new PBEKeySpec(PASSWORD.toCharArray(), salt, ITERATIONS, HASH_BITS))
                    .getEncoded();
            String line = USER + ":$7$" + ITERATIONS + "$" + base64.encodeToString(salt) + "$"
                    + base64.encodeToString(hash) + "\n";
            return Files.writeString(file, line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sockets of clients that trust the authority alone. */
    public SSLSocketFactory sockets() {
        return sockets(null);
    }

    /** The same of a client that shows a certificate, where it is asked for one. */
    SSLSocketFactory sockets(@Nullable Issued shown) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    shown == null ? null : shown.keyManagers().getKeyManagers(),
                    authority.trustManagers().getTrustManagers(),
                    null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A way to open a connection to a broker of this machine, by its port, on which nothing was sent yet. */
    @FunctionalInterface
    public interface Way {
        /** Opens one. */
        TestClient open(int port, ProtocolVersion version) throws IOException;
    }

    /** The way to these brokers. */
    public Way way() {
        SSLSocketFactory sockets = sockets();
        return (port, version) -> {
            Socket socket = sockets.createSocket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            return TestClient.over(socket, version, USER, PASSWORD);
        };
    }
}
