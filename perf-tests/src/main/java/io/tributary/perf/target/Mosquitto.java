package io.tributary.perf.target;

import io.tributary.perf.target.TargetContext.Product;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Eclipse Mosquitto, of the distribution: one, or several that are bridged as a star. The first is the middle of it,
 * for in a ring each message would come by two ways.
 */
final class Mosquitto implements TargetKind {
    private final int brokers;

    /** So many brokers. */
    Mosquitto(int brokers) {
        this.brokers = brokers;
    }

    @Override
    public Target start(TargetContext context) {
        if (brokers == 1) {
            return start(context, List.of());
        }
        context.refuseTls("bridged Mosquitto");
        if (context.wire().isWebSocket() || context.mqtt().hasUsers()) {
            throw new TargetException("bridged Mosquitto are not set up for WebSocket or user names here: leave out"
                    + " mqtt.transport, mqtt.username and mqtt.users");
        }
        List<Target> started = new ArrayList<>();
        try {
            for (int i = 1; i <= brokers; i++) {
                started.add(start(context.in("n" + i), bridge(started)));
            }
            return together(started);
        } catch (RuntimeException e) {
            started.forEach(Target::close);
            throw e;
        }
    }

    /** All topics both ways, between this one and the first; nothing for the first. */
    private static List<String> bridge(List<Target> started) {
        if (started.isEmpty()) {
            return List.of();
        }
        InetSocketAddress middle = started.getFirst().addresses().getFirst();
        return List.of(
                "connection n" + (started.size() + 1),
                "address 127.0.0.1:" + middle.getPort(),
                "topic # both 2",
                "bridge_protocol_version mqttv311",
                "notifications false",
                "restart_timeout 1");
    }

    private static Target start(TargetContext context, List<String> more) {
        Path program = Programs.find("mosquitto")
                .orElseThrow(() -> new TargetException("mosquitto is missing: apt-get install mosquitto"));
        int port = context.freePort();
        Path file = context.write("mosquitto.conf", """
                listener %d 127.0.0.1
                protocol %s
                persistence false
                max_queued_messages 100000
                max_inflight_messages 1000
                set_tcp_nodelay true
                log_type error
                %s
                %s
                """.formatted(
                        port,
                        context.wire().isWebSocket() ? "websockets" : "mqtt",
                        Security.of(context).mosquitto(),
                        String.join("\n", more)));
        Product product = new Product(
                "Mosquitto",
                Programs.output(program.toString(), "-h"),
                Map.of(
                        "storage",
                        "none: persistence false",
                        "queues",
                        "max_queued_messages 100000, max_inflight_messages 1000",
                        "sockets",
                        "set_tcp_nodelay true (its default is false)"));
        return context.server(product, List.of(program.toString(), "-c", file.toString()), file.toString(), port);
    }

    private static Target together(List<Target> started) {
        Target first = started.getFirst();
        Map<String, String> facts = new TreeMap<>(first.facts());
        facts.put(
                "bridges",
                "a star around n1, all topics both ways, at the QoS that they have; no TCP_NODELAY where a bridge sends to n1,"
                        + " which has no setting");
        List<InetSocketAddress> addresses = new ArrayList<>();
        Map<String, Long> processes = new LinkedHashMap<>();
        for (Target broker : started) {
            addresses.addAll(broker.addresses());
            processes.put(
                    "n" + addresses.size(),
                    broker.processes().values().iterator().next());
        }
        return new Target(
                started.size() + " bridged Mosquitto",
                first.version(),
                facts,
                addresses,
                processes,
                Map::of,
                () -> started.reversed().forEach(Target::close));
    }
}
