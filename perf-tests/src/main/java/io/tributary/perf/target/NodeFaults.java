package io.tributary.perf.target;

import com.fasterxml.jackson.databind.JsonNode;
import io.tributary.perf.scenario.Step.Fault;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What happens to the second node of a cluster of {@code tributary cluster}. Signals go to its process directly: a
 * program that is started for it would take the processors from the nodes in the very moment that is measured. For one
 * thread.
 */
final class NodeFaults implements Consumer<Fault> {
    private static final String NODE = "n2";
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration BETWEEN = Duration.ofMillis(200);
    private static final int LOOKS = 5;

    private final String launcher;
    private final String directory;
    private final Map<String, String> environment;
    private final Supplier<JsonNode> status;
    private final HttpClient http = HttpClient.newHttpClient();

    /** The process, as long as it is the node's. */
    private @Nullable ProcessHandle process;

    private boolean isPaused;

    /**
     * Of a cluster.
     *
     * @param environment what the node is started with
     * @param status what {@code tributary cluster status --json} says
     */
    NodeFaults(String launcher, String directory, Map<String, String> environment, Supplier<JsonNode> status) {
        this.launcher = launcher;
        this.directory = directory;
        this.environment = Map.copyOf(environment);
        this.status = status;
    }

    /** {@inheritDoc} Of a fault it does not wait for what comes of it. */
    @Override
    public void accept(Fault fault) {
        switch (fault) {
            case KILL -> process().destroyForcibly();
            case STOP -> process().destroy();
            case PAUSE -> {
                isPaused = true;
                signal("-STOP");
            }
            case BACK -> back();
        }
    }

    private void back() {
        if (isPaused) {
            isPaused = false;
            signal("-CONT");
        } else {
            awaitEnd();
            process = null;
            Programs.run(List.of(launcher, "cluster", "start", NODE, "--dir", directory), environment);
        }
        awaitReady();
        process(); // found now, and not in the moment of the next fault
    }

    private ProcessHandle process() {
        ProcessHandle known = process;
        if (known == null) {
            known = ProcessHandle.of(node().path("pid").asLong())
                    .orElseThrow(() -> new TargetException(NODE + " of the cluster does not run"));
            process = known;
        }
        return known;
    }

    private JsonNode node() {
        for (JsonNode part : status.get().path("processes")) {
            if (part.path("name").asText().equals(NODE)) {
                return part;
            }
        }
        throw new TargetException("the cluster has no node " + NODE + " that a fault could happen to");
    }

    private void signal(String signal) {
        Programs.run(List.of("kill", signal, Long.toString(process().pid())), Map.of());
    }

    private void awaitEnd() {
        try {
            process().onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new TargetException(NODE + " has not ended after " + PATIENCE.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TargetException("interrupted", e);
        }
    }

    /** Some looks in a row: a node that goes on may hold itself for ready until it notices that it stood still. */
    private void awaitReady() {
        URI uri = URI.create(
                "http://127.0.0.1:" + node().path("ports").path("http").asInt() + "/actuator/health/readiness");
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try {
            int good = 0;
            while (good < LOOKS) {
                good = isReady(uri) ? good + 1 : 0;
                if (System.nanoTime() - deadline > 0) {
                    throw new TargetException(NODE + " is not ready after " + PATIENCE.toSeconds() + " s");
                }
                TimeUnit.NANOSECONDS.sleep(BETWEEN.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TargetException("interrupted", e);
        }
    }

    private boolean isReady(URI uri) throws InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(uri).timeout(BETWEEN.multipliedBy(5)).build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }
}
