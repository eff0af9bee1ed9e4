package io.tributary.perf.target;

import io.tributary.perf.target.TargetContext.Product;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Our broker as a cluster on this machine, behind HAProxy of the distribution: clients know one address. */
final class BalancedCluster implements TargetKind {
    private final Balancing policy;
    private final int nodes;

    /** So many nodes. */
    BalancedCluster(Balancing policy, int nodes) {
        this.policy = policy;
        this.nodes = nodes;
    }

    @Override
    public Target start(TargetContext context) {
        Path program = Programs.find("haproxy")
                .orElseThrow(() -> new TargetException("haproxy is missing: apt-get install haproxy"));
        if (policy == Balancing.CLIENT_IDENTIFIER && context.wire().isWebSocket()) {
            throw new TargetException(
                    "the proxy finds no client identifier in a WebSocket; use --set mqtt.transport=tcp");
        }
        Target cluster = new ClusterTarget(nodes, Path.of("")).start(context);
        try {
            return behind(proxy(program, context, cluster.addresses()), cluster);
        } catch (TargetException e) {
            cluster.close();
            throw e;
        }
    }

    private Target proxy(Path program, TargetContext context, List<InetSocketAddress> addresses) {
        int port = context.freePort();
        Path file = context.write("haproxy.cfg", configuration(port, addresses));
        Product product = new Product("HAProxy", Programs.output(program.toString(), "-v"), Map.of());
        List<String> command = List.of(program.toString(), "-db", "-f", file.toString());
        return context.server(product, command, file.toString(), port);
    }

    /** No checks of nodes: they would be connections of their own, and no node is to die here. */
    String configuration(int port, List<InetSocketAddress> addresses) {
        StringBuilder text = new StringBuilder("""
                defaults
                  mode tcp
                  timeout connect 5s
                  timeout client 1h
                  timeout server 1h
                frontend mqtt
                  bind 127.0.0.1:%d
                  default_backend nodes
                backend nodes
                """.formatted(port));
        policy.configuration().forEach(line -> text.append("  ").append(line).append('\n'));
        for (int i = 0; i < addresses.size(); i++) {
            text.append("  server n")
                    .append(i + 1)
                    .append(' ')
                    .append(InetAddress.getLoopbackAddress().getHostAddress())
                    .append(':')
                    .append(addresses.get(i).getPort())
                    .append('\n');
        }
        return text.toString();
    }

    /** The cluster, to be reached through the proxy. */
    private Target behind(Target proxy, Target cluster) {
        Map<String, Long> processes = new LinkedHashMap<>(cluster.processes());
        processes.put("proxy", proxy.processes().values().iterator().next());
        Map<String, String> facts = new TreeMap<>(cluster.facts());
        facts.put("proxy", proxy.version());
        facts.put("balancing", policy.word());
        return new Target(
                cluster.name() + " behind a proxy",
                cluster.version(),
                facts,
                proxy.addresses(),
                processes,
                cluster.counts(),
                () -> {
                    proxy.close();
                    cluster.close();
                });
    }
}
