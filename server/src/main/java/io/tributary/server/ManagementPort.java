package io.tributary.server;

import io.tributary.server.settings.check.SettingException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.core.env.Environment;

/** The port of health and metrics, which Spring Boot reads in several places and then complains of without its name. */
final class ManagementPort {
    /** The setting by which the port is encrypted. */
    static final String CERTIFICATE = "tributary.http.tls.certificate";

    /** What encrypts the port in another way, or would be a port without encryption. */
    private static final List<String> OTHER_WAYS =
            List.of("server.ssl.bundle", "server.ssl.certificate", "server.ssl.key-store", "management.server.port");

    private static final String PORT = "server.port";
    private static final String ADDRESS = "server.address";
    private static final int HIGHEST = 65_535;

    private ManagementPort() {}

    /** What is wrong with a text that is no port. */
    static Optional<String> wrong(Environment environment) {
        String given = environment.getProperty(PORT, "0");
        return given.matches("[0-9]{1,5}") && Integer.parseInt(given) <= HIGHEST
                ? Optional.empty()
                : Optional.of(PORT + ": '" + given + "' is not within 0 to " + HIGHEST + " (0 picks a free port)");
    }

    /** What does not go with our encryption of the port, a line for each. */
    static Stream<String> beside(Environment environment) {
        return environment.containsProperty(CERTIFICATE)
                ? OTHER_WAYS.stream()
                        .filter(environment::containsProperty)
                        .map(name -> name + ": cannot be set beside " + CERTIFICATE
                                + ", which encrypts server.port and nothing else; use one of the two")
                : Stream.empty();
    }

    /**
     * Listens there for a moment: the web server is the last to begin, when clients may have connected already.
     *
     * @throws SettingException when nobody can listen there, with the reason
     */
    static void probe(Environment environment) {
        String host = environment.getProperty(ADDRESS, "");
        int port = environment.getProperty(PORT, Integer.class, 0);
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(
                    host.isEmpty()
                            ? new InetSocketAddress(port)
                            : new InetSocketAddress(InetAddress.getByName(host), port));
        } catch (UnknownHostException e) {
            throw unknownAddress(host);
        } catch (BindException e) {
            String words = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
            throw words.contains("assign") ? unknownAddress(host) : new SettingException(PORT, inUse(port, words));
        } catch (IOException e) {
            throw new SettingException(PORT, "'" + port + "' cannot be listened at: " + e.getMessage());
        }
    }

    private static SettingException unknownAddress(String host) {
        return new SettingException(
                ADDRESS,
                "'" + host
                        + "' is not an address of this machine, nor a name that is known; health and metrics are there");
    }

    /** The words for a port that something else has, or that is not for everybody. */
    static String inUse(int port, String reason) {
        return "'" + port + "' " + (reason.contains("in use") ? "is in use" : "cannot be used (" + reason + ")")
                + "; this is the port of health and metrics, and --server.port=0 picks a free one";
    }
}
