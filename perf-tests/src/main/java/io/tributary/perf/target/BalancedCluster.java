package io.tributary.perf.target;

import io.tributary.perf.target.TargetContext.Product;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Our broker as a cluster on this machine, behind a proxy of the distribution: clients know one address. */
final class BalancedCluster implements TargetKind {
    private final Proxy proxy;
    private final Balancing policy;
    private final int nodes;

    /** So many nodes. */
    BalancedCluster(Proxy proxy, Balancing policy, int nodes) {
        this.proxy = proxy;
        this.policy = policy;
        this.nodes = nodes;
    }

    @Override
    public Target start(TargetContext context) {
        Path program = proxy.program();
        if (proxy == Proxy.NGINX) {
            policy.nginx(); // refuses before anything is started
        }
        if (policy == Balancing.CLIENT_IDENTIFIER && context.wire().isWebSocket()) {
            throw new TargetException(
                    "the proxy finds no client identifier in a WebSocket; use --set mqtt.transport=tcp");
        }
        Target cluster = new ClusterTarget(new ClusterTarget.Size(nodes, 1, 3)).start(context);
        try {
            return behind(proxy(program, context, cluster.addresses()), cluster);
        } catch (TargetException e) {
            cluster.close();
            throw e;
        }
    }

    private Target proxy(Path program, TargetContext context, List<InetSocketAddress> addresses) {
        int port = context.freePort();
        Path directory = context.directory();
        Path file = context.write(proxy.word() + ".cfg", proxy.configuration(policy, port, addresses, directory));
        Product product = new Product(proxy.product(), proxy.version(), Map.of());
        return context.server(product, proxy.command(program, file, directory), file.toString(), port);
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
