package io.tributary.perf.target;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the nodes of a Tributary say in their metrics, added up. */
final class NodeCounts {
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

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    /** How long an answer is good: for less than the time between two looks. */
    private static final Duration LASTS = Duration.ofMillis(300);

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final List<Integer> ports;

    // Guarded by this.
    private List<List<String>> answers = List.of();
    private long askedNanos;

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

    private NodeCounts(List<Integer> ports) {
        this.ports = List.copyOf(ports);
    }

    /**
     * By name, each as it was some seconds ago; -1 when not all nodes say. A call blocks for a second at most for each
     * node.
     *
     * @param ports of HTTP listeners on this machine
     */
    static Map<String, LongSupplier> of(List<Integer> ports) {
        NodeCounts nodes = new NodeCounts(ports);
        return METRICS.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, metric -> () -> nodes.sum(metric.getValue())));
    }

    private long sum(Metric metric) {
        try {
            long sum = 0;
            for (List<String> node : answers()) {
                List<String> lines = node.stream().filter(metric::isIn).toList();
                if (lines.isEmpty()) {
                    return -1; // a node has no such metric
                }
                sum += lines.stream()
                        .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                        .mapToLong(value -> (long) Double.parseDouble(value))
                        .sum();
            }
            return sum;
        } catch (IOException | NumberFormatException e) {
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }

    /** What each node says of all metrics: asked once for those that are looked at together. */
    private synchronized List<List<String>> answers() throws IOException, InterruptedException {
        if (answers.isEmpty() || System.nanoTime() - askedNanos >= LASTS.toNanos()) {
            answers = List.of();
            List<List<String>> now = new ArrayList<>();
            for (int port : ports) {
                now.add(ask(port));
            }
            answers = now;
            askedNanos = System.nanoTime();
        }
        return answers;
    }

    private List<String> ask(int port) throws IOException, InterruptedException {
        String names = METRICS.values().stream().map(Metric::name).collect(Collectors.joining(","));
        URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/prometheus?includedNames=" + names);
        HttpResponse<String> answer =
                client.send(HttpRequest.newBuilder(uri).timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(uri + " answers " + answer.statusCode());
        }
        return answer.body().lines().toList();
    }
}
