package io.tributary.server.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.localcluster.Lifetime;
import io.tributary.localcluster.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The real HAProxy asks two brokers for their weights; what CI has of it is in {@link BalancersTest}. */
@ExtendWith(BrokerExtension.class)
class AgentCheckTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Path HAPROXY = Path.of("/usr/sbin/haproxy");
    /** The columns of a server's status and weight in HAProxy's statistics. */
    private static final int STATUS = 17;

    private static final int WEIGHT = 18;

    private final int front = Ports.free();
    private final int statistics = Ports.free();
    private final List<BrokerProcess> brokers = new ArrayList<>();
    private final List<Integer> agents = List.of(Ports.free(), Ports.free());
    private @Nullable Process haproxy;

    @AfterEach
    void stop() {
        brokers.forEach(BrokerProcess::close);
        if (haproxy != null) {
            haproxy.destroyForcibly().onExit().join();
        }
    }

    @Tag("long")
    @Test
    void clientsGoWhereTheWeightsAreAndNotToABrokerThatIsDrained() throws IOException {
        assumeThat(HAPROXY).exists();
        Path folder = Scratch.folder("agent-check");
        for (int agent : agents) {
            brokers.add(BrokerProcess.start(
                    folder.resolve("broker-" + agent),
                    List.of("-Xmx256m"),
                    List.of("--tributary.agent-check.port=" + agent)));
        }
        assertThat(ask(agents.getFirst())).matches("ready up \\d{1,3}%\n");
        start(folder);
        await().atMost(PATIENCE)
                .until(() -> column("one", STATUS).equals("UP")
                        && column("two", STATUS).equals("UP"));
        // Of a weight of 200, so that what HAProxy shows is not what the configuration says.
        await().atMost(PATIENCE).until(() -> Integer.parseInt(column("one", WEIGHT)) < 200);

        Operator operator = new Operator(folder.resolve("broker-" + agents.getFirst() + "/data/admin.token"));
        assertThat(operator.drain(brokers.getFirst(), "--node=tributary", "--serve-for=10m")
                        .exit())
                .isZero();
        await().atMost(PATIENCE).until(() -> column("one", STATUS).startsWith("DRAIN"));
        for (int i = 0; i < 4; i++) {
            try (TestClient client = TestClient.connect(front, ProtocolVersion.MQTT_5, "late-" + i, 0)) {
                assertThat(client.isOpen()).isTrue();
            }
        }
        assertThat(Long.parseLong(column("two", 7))).isEqualTo(4); // all sessions so far

        assertThat(operator.drain(brokers.getFirst(), "--cancel").exit()).isZero();
        await().atMost(PATIENCE).until(() -> column("one", STATUS).equals("UP"));
    }

    private static String ask(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write("hello\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private void start(Path folder) throws IOException {
        String servers = "";
        for (int i = 0; i < brokers.size(); i++) {
            servers += "  server %s 127.0.0.1:%d weight 200 check inter 500 agent-check agent-port %d agent-inter 500%n"
                    .formatted(i == 0 ? "one" : "two", brokers.get(i).tcpPort(), agents.get(i));
        }
        Path configuration =
                Files.writeString(folder.resolve("haproxy.cfg"), """
                defaults
                  mode tcp
                  timeout connect 5s
                  timeout client 60s
                  timeout server 60s
                listen mqtt
                  bind 127.0.0.1:%d
                  balance leastconn
                %slisten statistics
                  mode http
                  bind 127.0.0.1:%d
                  stats enable
                  stats uri /
                """.formatted(front, servers, statistics));
        haproxy = new ProcessBuilder(
                        Lifetime.BOUND.command(List.of(HAPROXY.toString(), "-db", "-f", configuration.toString())))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("haproxy.log").toFile())
                .start();
    }

    /** Of a server, as HAProxy shows it; empty before HAProxy listens. */
    private String column(String server, int column) {
        try (InputStream in =
                URI.create("http://127.0.0.1:" + statistics + "/;csv").toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> line.startsWith("mqtt," + server + ","))
                    .map(line -> line.split(",", -1)[column])
                    .findFirst()
                    .orElse("");
        } catch (ConnectException notYet) {
            return "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
