package io.tributary.perf.target;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the nodes of a Tributary say in their metrics, added up. */
final class NodeCounts implements Supplier<Map<String, Long>> {
    /**
     * The messages in queues of persistent sessions, and those that a limit has dropped on the way to a subscriber, as
     * results call them.
     */
    private static final Map<String, Metric> METRICS = Map.of(
            "messages queued", new Metric("tributary_messages_queued", Pattern.compile("")),
            "messages dropped",
                    new Metric(
                            "tributary_messages_dropped",
                            Pattern.compile("reason=\"(queue_full|tenant_queues_full|owner_busy)\"")));

    private final List<NodeMetrics> nodes;

    /**
     * A metric, or those of its lines that have some text.
     *
     * @param name as nodes are asked: a counter without its {@code _total}; they are silent about any other name
     */
    private record Metric(String name, Pattern text) {
        private boolean isIn(String line) {
            return line.startsWith(name) && text.matcher(line).find();
        }
    }

    /** @param listeners of HTTP, one of each node */
    NodeCounts(List<URI> listeners) {
        nodes = listeners.stream().map(NodeMetrics::new).toList();
    }

    /** Of nodes on this machine, by the ports of their HTTP listeners. */
    static NodeCounts here(List<Integer> ports) {
        return new NodeCounts(ports.stream()
                .map(port -> URI.create("http://127.0.0.1:" + port))
                .toList());
    }

    /** By name, without what not all nodes say. Blocks for a second at most for each node, which is asked once. */
    @Override
    public Map<String, Long> get() {
        try {
            Set<String> names = METRICS.values().stream().map(Metric::name).collect(Collectors.toSet());
            List<List<String>> answers = new ArrayList<>();
            for (NodeMetrics node : nodes) {
                answers.add(node.ask(names));
            }
            Map<String, Long> counts = new TreeMap<>();
            METRICS.forEach((name, metric) -> {
                if (answers.stream().allMatch(lines -> lines.stream().anyMatch(metric::isIn))) {
                    counts.put(name, sum(answers, metric));
                }
            });
            return counts;
        } catch (IOException | NumberFormatException e) {
            return Map.of();
        }
    }

    private static long sum(List<List<String>> answers, Metric metric) {
        return answers.stream()
                .mapToLong(lines -> NodeMetrics.sum(lines, metric::isIn))
                .sum();
    }
}
