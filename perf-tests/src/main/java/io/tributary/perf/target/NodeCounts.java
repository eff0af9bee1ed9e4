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

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final List<Integer> ports;

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

    /** @param ports of HTTP listeners on this machine */
    NodeCounts(List<Integer> ports) {
        this.ports = List.copyOf(ports);
    }

    /** By name, without what not all nodes say. Blocks for a second at most for each node, which is asked once. */
    @Override
    public Map<String, Long> get() {
        try {
            List<List<String>> answers = new ArrayList<>();
            for (int port : ports) {
                answers.add(ask(port));
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
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Map.of();
        }
    }

    private static long sum(List<List<String>> answers, Metric metric) {
        return answers.stream()
                .flatMap(List::stream)
                .filter(metric::isIn)
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .mapToLong(value -> (long) Double.parseDouble(value))
                .sum();
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
