package io.tributary.localcluster;

import io.tributary.cli.Program;
import io.tributary.cli.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Kafka, Redis and the broker nodes of one directory, as one thing. Each change is written to the directory's
 * {@code cluster.json}, from which another JVM goes on. Not thread-safe, and one at a time for a directory.
 */
final class LocalCluster {
    private final Path directory;
    private final ClusterLayout layout;
    private final LocalKafka kafka;
    private final LocalRedis redis;
    private final LocalNodes nodes;

    /** The cluster that this file tells of, with those of its processes that are there. */
    LocalCluster(Path directory, ClusterFile file, Path launcher, Lifetime lifetime) {
        this.directory = directory;
        this.layout = file.layout();
        this.kafka = LocalKafka.in(directory)
                .brokers(layout.kafkaBrokers())
                .basePort(layout.kafkaPort())
                .lifetime(lifetime)
                .build();
        this.redis = LocalRedis.in(directory)
                .primaries(layout.redisPrimaries())
                .replicas(layout.redisReplicas())
                .basePort(layout.redisPort())
                .appendOnly(true)
                .lifetime(lifetime)
                .build();
        this.nodes = LocalNodes.of(directory, layout, kafka, redis, launcher, lifetime);
        for (LocalServers kind : kinds()) {
            kind.onLaunch(this::save);
            for (ServerProcess process : kind.processes()) {
                process.attach(file.pids().getOrDefault(process.name(), 0L));
            }
        }
    }

    private List<LocalServers> kinds() {
        return List.of(kafka, redis, nodes);
    }

    /**
     * Starts everything, of which nothing runs, the nodes when Kafka and Redis are there, and waits until it is ready.
     *
     * @param progress is told of each kind that it is ready
     * @throws LocalClusterException if a port is taken, or a part does not get ready; then all that was started is
     *     ended again
     */
    void up(Consumer<String> progress) {
        checkPorts();
        try {
            startServers(progress);
            nodes.start();
            if (nodes.size() > 0) {
                progress.accept("All nodes are ready");
            }
        } catch (RuntimeException e) {
            kinds().forEach(LocalServers::close);
            throw e;
        } finally {
            save();
        }
    }

    /** Kafka and Redis at the same time, for Redis mostly waits; where one fails, the other has come to an end, too. */
    private void startServers(Consumer<String> progress) {
        try (ExecutorService beside = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> redisStarts = beside.submit(redis::start);
            kafka.start();
            progress.accept("Kafka is ready");
            redisStarts.get();
            progress.accept("Redis is ready");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalClusterException("interrupted while Redis starts", e);
        }
    }

    /** Fails where a part runs. */
    void checkNothingRuns() {
        List<String> running = parts().stream()
                .filter(part -> part.pid() != 0)
                .map(ClusterPart::name)
                .toList();
        if (!running.isEmpty()) {
            throw new LocalClusterException("this cluster runs already: " + String.join(", ", running) + " ("
                    + directory + "); to end it: " + Program.name() + " cluster down --dir " + directory);
        }
    }

    private void checkPorts() {
        for (ClusterPart part : parts()) {
            part.ports().forEach((what, port) -> {
                if (!Ports.isFree(port)) {
                    throw new LocalClusterException("port " + port + ", for " + part.name() + " (" + what
                            + "), is taken; another cluster or another program? --base-port moves all ports");
                }
            });
        }
    }

    /** Ends everything in order, the nodes first, each kind within a bound. */
    void down() {
        nodes.stop();
        kafka.stop();
        redis.stop();
        save();
    }

    /** Starts the part of this name and waits until it is ready. */
    void start(String name) {
        Deployment place = find(name);
        if (place.servers().isRunning(place.number())) {
            throw new LocalClusterException(name + " runs already");
        }
        try {
            place.servers().restart(place.number());
        } catch (LocalClusterException e) {
            place.servers().kill(place.number());
            throw e;
        } finally {
            save();
        }
    }

    /** Ends the part of this name at once (SIGKILL). */
    void kill(String name) {
        Deployment place = find(name);
        if (!place.servers().isRunning(place.number())) {
            throw new LocalClusterException(name + " does not run");
        }
        place.servers().kill(place.number());
        save();
    }

    private record Deployment(LocalServers servers, int number) {}

    private Deployment find(String name) {
        for (LocalServers kind : kinds()) {
            for (int i = 1; i <= kind.size(); i++) {
                if (kind.process(i).name().equals(name)) {
                    return new Deployment(kind, i);
                }
            }
        }
        throw new UsageException("there is no '" + name + "'; there are "
                + String.join(", ", parts().stream().map(ClusterPart::name).toList()));
    }

    /** Also of threads that start parts side by side. */
    private synchronized void save() {
        Map<String, Long> pids = new TreeMap<>();
        for (ClusterPart part : parts()) {
            if (part.pid() != 0) {
                pids.put(part.name(), part.pid());
            }
        }
        new ClusterFile(layout, pids).write(directory);
    }

    /** Where Kafka's clients begin. */
    String kafkaAddresses() {
        return kafka.bootstrapServers();
    }

    /** Where Redis's clients begin. */
    String redisAddresses() {
        return redis.addresses();
    }

    /** Every process as it is now. */
    List<ClusterPart> parts() {
        List<ClusterPart> parts = new ArrayList<>();
        for (int i = 1; i <= kafka.size(); i++) {
            int port = kafka.port(i);
            parts.add(ClusterPart.of(kafka.process(i), "kafka", List.of("clients", "quorum"), port, kafka.size()));
        }
        for (int i = 1; i <= redis.size(); i++) {
            int port = redis.port(i);
            parts.add(ClusterPart.of(redis.process(i), "redis", List.of("clients", "bus"), port, redis.size()));
        }
        for (int i = 1; i <= nodes.size(); i++) {
            List<String> kinds = List.of("mqtt", "ws", "http", "link");
            parts.add(ClusterPart.of(nodes.process(i), "node", kinds, nodes.port(i), ClusterLayout.BLOCK)
                    .with("agent", layout.agentPort(i)));
        }
        return parts;
    }
}
