package io.tributary.server.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tributary.broker.tls.OpenSslAuthority.Issued;
import io.tributary.localcluster.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Three brokers behind a balancer, at addresses of their own and the same ports, as pods are. A service beside them,
 * which they ask who a client is, notes who came out where and from which address; or clients are who their
 * certificates say. One thread at a time.
 */
final class BalancedNodes implements AutoCloseable {
    private static final int COUNT = 3;
    private static final Pattern QUESTION = Pattern.compile("\"(clientId|address)\":\"([^\"]+)\"");

    private final Secured secured;
    private final Issued certificate;
    private final HttpServer service;
    private final List<BrokerProcess> brokers = new ArrayList<>();
    private final List<ServerSocket> agents = new ArrayList<>();
    private final Map<String, Seen> seen = new ConcurrentHashMap<>();
    private final int tcpPort = Ports.free();
    private final int httpPort = Ports.free();
    private final int agentPort = Ports.free();
    private final String[] weights = new String[COUNT];

    /**
     * Where a client came out.
     *
     * @param address the client's, as the node knows it
     */
    record Seen(int node, String address) {}

    private BalancedNodes(Path folder) throws IOException {
        secured = Secured.in(folder);
        certificate = secured.authority().server("server");
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", this::answer);
        service.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        service.start();
    }

    /** @param tls whether the nodes end TLS */
    static BalancedNodes start(Path folder, boolean tls) throws IOException {
        BalancedNodes nodes = new BalancedNodes(folder);
        nodes.start(folder, node -> nodes.byService(node, tls));
        return nodes;
    }

    /**
     * Nodes that go by the name in the certificate that the balancer has verified: they take {@code pump-*}, each of
     * which has the topic {@code of/NAME}, and nobody else.
     */
    static BalancedNodes startByCertificate(Path folder) throws IOException {
        BalancedNodes nodes = new BalancedNodes(folder);
        nodes.start(
                folder,
                _ -> List.of(
                        "--tributary.listeners.tcp.authentication=certificates",
                        "--tributary.listeners.tcp.proxy-protocol.certificate-name=true",
                        "--tributary.security.authenticators.certificates.kind=x509",
                        "--tributary.security.authenticators.certificates.pattern=pump-*",
                        "--tributary.security.rules[0].rules[0].allow=all",
                        "--tributary.security.rules[0].rules[0].topic=of/${cn}"));
        return nodes;
    }

    private void start(Path folder, IntFunction<List<String>> more) throws IOException {
        for (int node : all()) {
            List<String> settings = new ArrayList<>(List.of(
                    "--server.address=" + address(node).getHostAddress(),
                    "--tributary.listeners.tcp.host=" + address(node).getHostAddress(),
                    "--tributary.listeners.tcp.proxy-protocol.enabled=true",
                    "--tributary.listeners.tcp.proxy-protocol.trusted=127.0.0.1"));
            settings.addAll(more.apply(node));
            brokers.add(BrokerProcess.prepare(folder.resolve("node-" + node), List.of("-Xmx256m"), settings)
                    .ports(tcpPort, httpPort));
            answerAgent(node);
        }
        brokers.parallelStream().forEach(BrokerProcess::start);
    }

    private List<String> byService(int node, boolean tls) {
        List<String> settings = new ArrayList<>(List.of(
                "--tributary.listeners.tcp.authentication=service",
                "--tributary.security.authenticators.service.kind=http",
                "--tributary.security.authenticators.service.url=http://127.0.0.1:"
                        + service.getAddress().getPort() + "/" + node));
        if (tls) {
            settings.add("--tributary.listeners.tcp.tls.certificate=" + certificate.certificate());
            settings.add("--tributary.listeners.tcp.tls.private-key=" + certificate.key());
        }
        return settings;
    }

    List<Integer> all() {
        return IntStream.range(0, COUNT).boxed().toList();
    }

    InetAddress address(int node) {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 1, (byte) (node + 1)});
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
    }

    int tcpPort() {
        return tcpPort;
    }

    int httpPort() {
        return httpPort;
    }

    int agentPort() {
        return agentPort;
    }

    Secured secured() {
        return secured;
    }

    /** What the nodes' agents say, in per cent, in place of the brokers' own, which depend on the machine. */
    void weights(int... percent) {
        for (int node : all()) {
            weights[node] = "ready up " + percent[node] + "%";
        }
    }

    /** The weight that HAProxy shows of a node. */
    int weight(int node, boolean byLoad) {
        return byLoad ? Integer.parseInt(weights[node].replaceAll("\\D", "")) : 100;
    }

    void drain(int node) {
        weights[node] = "drain";
    }

    Seen seen(String client) {
        return Objects.requireNonNull(seen.get(client));
    }

    void kill(int node) {
        brokers.get(node).kill();
    }

    void restart(int node) {
        brokers.get(node).start();
    }

    /** Puts certificate, key and authority where a balancer that ends TLS has them. */
    void certificate(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.copy(secured.authority().certificate(), folder.resolve("ca.crt"));
        Files.copy(certificate.certificate(), folder.resolve("tls.crt"));
        Files.copy(certificate.key(), folder.resolve("tls.key"));
        Files.copy(certificate.key(), folder.resolve("tls.crt.key"));
    }

    @Override
    public void close() {
        brokers.forEach(BrokerProcess::close);
        service.stop(0);
        for (ServerSocket agent : agents) {
            try {
                agent.close();
            } catch (IOException closed) {
                // all the same
            }
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        Matcher question = QUESTION.matcher(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
        Map<String, String> said = new HashMap<>();
        while (question.find()) {
            said.put(question.group(1), question.group(2));
        }
        int node = Integer.parseInt(exchange.getRequestURI().getPath().substring(1));
        String client = Objects.requireNonNull(said.get("clientId"));
        seen.put(client, new Seen(node, Objects.requireNonNull(said.get("address"))));
        byte[] yes =
                "{\"result\": \"accept\", \"name\": \"%s\"}".formatted(client).getBytes(UTF_8);
        exchange.sendResponseHeaders(200, yes.length);
        exchange.getResponseBody().write(yes);
        exchange.close();
    }

    private void answerAgent(int node) throws IOException {
        ServerSocket agent = new ServerSocket(agentPort, 0, address(node));
        agents.add(agent);
        Thread.ofPlatform().daemon().name("agent-" + node).start(() -> {
            while (!agent.isClosed()) {
                try (Socket asker = agent.accept()) {
                    asker.getOutputStream().write((weights[node] + "\n").getBytes(UTF_8));
                } catch (IOException closed) {
                    // or an asker that is gone
                }
            }
        });
    }
}
