package io.tributary.perf.target;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/** Counts the messages in the queues of persistent sessions, as the nodes of a Tributary say it in their metrics. */
final class QueuedMessages implements LongSupplier {
    /** What it counts, as results name it. */
    static final String NAME = "messages queued";

    private static final String METRIC = "tributary_messages_queued";
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final List<Integer> ports;

    /** Of nodes on this machine, with the ports of their HTTP listeners. */
    QueuedMessages(List<Integer> ports) {
        this.ports = List.copyOf(ports);
    }

    /** How many there were some seconds ago; -1 when not all nodes say. Blocks for a second at most for each node. */
    @Override
    public long getAsLong() {
        long sum = 0;
        try {
            for (int port : ports) {
                sum += queued(port);
            }
            return sum;
        } catch (IOException | NumberFormatException e) {
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }

    private long queued(int port) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/prometheus?includedNames=" + METRIC);
        String text = client.send(
                        HttpRequest.newBuilder(uri).timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.ofString())
                .body();
        return text.lines()
                .filter(line -> line.startsWith(METRIC))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .mapToLong(value -> (long) Double.parseDouble(value))
                .findFirst()
                .orElseThrow(() -> new IOException("no " + METRIC));
    }
}
