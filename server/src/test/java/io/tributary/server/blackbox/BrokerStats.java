package io.tributary.server.blackbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Reads what the broker says of itself, from its metrics, and what the system says of it. */
public final class BrokerStats implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final BrokerProcess broker;
    private final HttpClient http = HttpClient.newHttpClient();

    /**
     * A moment of the broker.
     *
     * @param heapBytes objects on the Java heap, garbage included
     * @param directBytes memory that Netty holds for sockets
     * @param residentBytes all memory of the process; 0 where the system does not say
     */
    public record Sample(long heapBytes, long directBytes, long residentBytes, long connections, long dropped) {}

    /** Of one broker; it need not be up yet. */
    public BrokerStats(BrokerProcess broker) {
        this.broker = broker;
    }

    /** How it is now. */
    public Sample sample() {
        String metrics = metrics();
        return new Sample(
                sum(metrics, "jvm_memory_used_bytes", "area=\"heap\""),
                sum(metrics, "tributary_network_direct_memory_bytes", ""),
                residentBytes(),
                sum(metrics, "tributary_connections", ""),
                sum(metrics, "tributary_messages_dropped_total", ""));
    }

    /** The sum of a meter's values over all lines with the given tag. */
    public long read(String meter, String tag) {
        return sum(metrics(), meter, tag);
    }

    @Override
    public void close() {
        http.close();
    }

    private String metrics() {
        URI uri = URI.create("http://127.0.0.1:" + broker.httpPort() + "/actuator/prometheus");
        try {
            HttpResponse<String> response = http.send(
                    HttpRequest.newBuilder(uri).timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
            return response.body();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private static long sum(String metrics, String meter, String tag) {
        return (long) metrics.lines()
                .filter(line -> line.startsWith(meter + "{") || line.startsWith(meter + " "))
                .filter(line -> line.contains(tag))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private long residentBytes() {
        Path status = Path.of("/proc", Long.toString(broker.pid()), "status");
        try {
            return Files.exists(status)
                    ? Files.readAllLines(status).stream()
                            .filter(line -> line.startsWith("VmRSS:"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                            .sum()
                    : 0;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
