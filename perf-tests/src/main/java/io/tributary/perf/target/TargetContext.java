package io.tributary.perf.target;

import io.tributary.localcluster.Lifetime;
import io.tributary.localcluster.LocalClusterException;
import io.tributary.localcluster.ServerProcess;
import io.tributary.perf.scenario.MqttOptions;
import io.tributary.perf.scenario.MqttOptions.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What a target is started with.
 *
 * @param launcher the script {@code tributary}
 * @param directory where it may keep its data; new for each
 * @param programs where programs of peers are kept from one run to the next
 * @param mqtt what clients will speak, and who they are
 * @param settings of a Tributary
 */
public record TargetContext(
        Path launcher, Path directory, Path programs, MqttOptions mqtt, Map<String, String> settings) {
    static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
    private static final int PROBE_MILLIS = 500;

    /** Copies the map. */
    public TargetContext {
        settings = Map.copyOf(settings);
    }

    /** The same with a directory of its own, for one of several servers. */
    TargetContext in(String name) {
        return new TargetContext(launcher, directory.resolve(name), programs, mqtt, settings);
    }

    /** A port of the loopback interface on which nobody listens. */
    int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new TargetException("there is no free port on the loopback interface", e);
        }
    }

    /** What clients will speak. */
    Wire wire() {
        return mqtt.transport();
    }

    /** That clients speak nothing but plain TCP or WebSocket, which is all that most targets are set up for. */
    void refuseTls(String product) {
        if (wire().isEncrypted()) {
            throw new TargetException(product + " is not set up for TLS here; start one with a certificate and name its"
                    + " address: --target HOST:PORT");
        }
    }

    /** Writes a file that a target is to read. */
    Path write(String name, String text) {
        Path file = directory.resolve(name);
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, text);
            return file;
        } catch (IOException e) {
            throw new TargetException(file + " cannot be written: " + e.getMessage(), e);
        }
    }

    /** A file beside the classes of this package, as text. */
    static String resource(String name) {
        try (InputStream in = TargetContext.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new TargetException("there is no " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new TargetException(name + " cannot be read", e);
        }
    }

    /**
     * Starts a program with one process and waits until it accepts connections.
     *
     * @param mark what is in its command line alone
     */
    Target server(Product product, List<String> command, String mark, int port) {
        ServerProcess process =
                new ServerProcess(product.name, command, mark, directory.resolve("server.log"), Lifetime.BOUND);
        try {
            process.start();
            process.awaitReady(() -> accepts(port), START_LIMIT);
            return started(product, process, port);
        } catch (LocalClusterException e) {
            process.kill();
            throw new TargetException(String.valueOf(e.getMessage()), e);
        }
    }

    private static Target started(Product product, ServerProcess process, int port) {
        long pid = process.runningPid()
                .orElseThrow(() -> new LocalClusterException(product.name + " ended at once; see " + process.log()));
        return new Target(
                product.name,
                product.version,
                product.facts,
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)),
                Map.of("broker", pid),
                Map::of,
                () -> process.stop(STOP_LIMIT));
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PROBE_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * What a target is.
     *
     * @param facts what else is to be known of it
     */
    record Product(String name, String version, Map<String, String> facts) {}
}
