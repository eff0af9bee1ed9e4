package io.tributary.perf.target;

import io.tributary.perf.target.TargetContext.Product;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** A cluster, or bridged brokers, on this machine, behind a proxy of the distribution: clients know one address. */
final class Balanced implements TargetKind {
    private final Proxy proxy;
    private final Balancing policy;
    private final TargetKind brokers;

    /** Brokers behind a proxy that chooses by a policy. */
    Balanced(Proxy proxy, Balancing policy, TargetKind brokers) {
        this.proxy = proxy;
        this.policy = policy;
        this.brokers = brokers;
    }

    @Override
    public Target start(TargetContext context) {
        refuse(context);
        Path program = proxy.program();
        Target started = brokers.start(context);
        try {
            return behind(proxy(program, context.in("proxy"), started), started);
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    /** What cannot be, before anything is started. */
    private void refuse(TargetContext context) {
        if (proxy == Proxy.NGINX) {
            policy.nginx();
        }
        if (policy == Balancing.CLIENT_IDENTIFIER && context.wire().isWebSocket()) {
            throw new TargetException(
                    "the proxy finds no client identifier in a WebSocket; use --set mqtt.transport=tcp");
        }
        if (policy.asksNodes()
                && (context.wire().isWebSocket() || context.mqtt().hasUsers())) {
            throw new TargetException("the policy " + policy.word()
                    + " asks nodes by MQTT over TCP, without a user name: leave out mqtt.transport, mqtt.username and"
                    + " mqtt.users");
        }
        if (policy.asksNodes() || policy == Balancing.CLIENT_IDENTIFIER) {
            context.refuseTls("the policy " + policy.word());
        }
    }

    private Target proxy(Path program, TargetContext context, Target nodes) {
        if (policy == Balancing.LOAD && nodes.agents().isEmpty()) {
            throw new TargetException(
                    "the policy load asks nodes for their load, which " + nodes.name() + " do not say");
        }
        int port = context.freePort();
        Path directory = context.directory();
        if (policy.asksNodes()) {
            context.write(Proxy.LUA, TargetContext.resource(Proxy.LUA));
        }
        Path file = context.write(proxy.word() + ".cfg", proxy.configuration(policy, port, nodes, directory));
        Product product = new Product(proxy.product(), proxy.version(), Map.of());
        return context.server(product, proxy.command(program, file, directory), file.toString(), port);
    }

    /** The brokers, to be reached through the proxy. */
    private Target behind(Target front, Target started) {
        Map<String, Long> processes = new LinkedHashMap<>(started.processes());
        processes.put("proxy", front.processes().values().iterator().next());
        Map<String, String> facts = new TreeMap<>(started.facts());
        facts.put("proxy", front.version());
        facts.put("balancing", policy.word());
        return new Target(
                started.name() + " behind " + proxy.product(),
                started.version(),
                facts,
                front.addresses(),
                processes,
                started.counts(),
                front.ending(started::close).end());
    }
}
