package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.BrokerStatus;
import io.tributary.broker.MemoryUse;
import io.tributary.broker.deployment.ClusterStatus;
import io.tributary.broker.deployment.IngestStatus;
import io.tributary.broker.metrics.BrokerMetrics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

class StatusTest {

    @Test
    void readyBrokerIsUp() {
        Health health = new BrokerHealth(() -> status(true, null, 3)).health();
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("connections", 3L).doesNotContainKey("problem");
    }

    @Test
    void startingBrokerIsOutOfService() {
        Health health = new BrokerHealth(() -> status(false, null, 0)).health();
        assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(health.getDetails()).containsEntry("problem", "the broker is starting or stopping");
    }

    @Test
    void brokerThatWaitsForItsCanarySaysSo() {
        BrokerStatus status = new BrokerStatus(
                false,
                "canary: 2 of 5 rounds",
                null,
                List.of(),
                0,
                0,
                0,
                0,
                MemoryUse.NONE,
                0,
                0,
                0,
                0,
                MemoryUse.NONE,
                0,
                0,
                List.of(),
                null);
        Health health = new BrokerHealth(() -> status).health();
        assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(health.getDetails()).containsEntry("problem", "canary: 2 of 5 rounds");
    }

    @Test
    void storeThatCannotCommitIsSaidInWords() {
        Health health = new BrokerHealth(() -> status(true, "the store cannot commit: no space left", 0)).health();
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails()).containsEntry("problem", "the store cannot commit: no space left");
    }

    @Test
    void problemsOfAClusterAreSaidInWords() {
        Health health = health(cluster(List.of("Kafka does not answer", "Redis is full"), List.of()));
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails()).containsEntry("problem", "Kafka does not answer; Redis is full");
    }

    @Test
    void nodeWithoutProblemsIsUpAndTellsOfItsCluster() {
        Health health = health(cluster(List.of(), List.of("Redis is slow", "2 shards have no owner")));
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails())
                .containsEntry("nodes", 3)
                .containsEntry("ownedShards", 40)
                .containsEntry("unownedShards", 2)
                .containsEntry("unsavedShards", 7)
                .containsEntry("laggingShards", 5)
                .containsEntry("ingest", "no such topic")
                .containsEntry("ingestPartitions", 4)
                .containsEntry("ingestLag", 17L)
                .containsEntry("warning", "Redis is slow; 2 shards have no owner");
    }

    @Test
    void brokerAloneWarnsToo() {
        BrokerStatus status = new BrokerStatus(
                true,
                null,
                null,
                List.of(),
                0,
                0,
                0,
                0,
                MemoryUse.NONE,
                0,
                0,
                0,
                0,
                MemoryUse.NONE,
                0,
                0,
                List.of("no files", "no luck"),
                null);
        Health health = new BrokerHealth(() -> status).health();
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("warning", "no files; no luck");
    }

    @Test
    void nothingToWarnOfIsNotSaid() {
        Health health = health(cluster(List.of(), List.of()));
        assertThat(health.getDetails()).doesNotContainKey("warning");
    }

    @Test
    void clusterHasItsGauges() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        ClusterStatus cluster = cluster(List.of("Kafka does not answer"), List.of());
        new StatusGauges(() -> status(true, null, 0, cluster), () -> 0).register(new BrokerMetrics(registry));
        assertThat(gauge(registry, "tributary.cluster.nodes")).isEqualTo(3);
        assertThat(gauge(registry, "tributary.cluster.shards.owned")).isEqualTo(40);
        assertThat(gauge(registry, "tributary.cluster.shards.unowned")).isEqualTo(2);
        assertThat(gauge(registry, "tributary.cluster.shards.unsaved")).isEqualTo(7);
        assertThat(gauge(registry, "tributary.cluster.shards.lagging")).isEqualTo(5);
        assertThat(gauge(registry, "tributary.kafka.appends.age")).isEqualTo(31.5);
        assertThat(gauge(registry, "tributary.cluster.behind")).isEqualTo(1);
        assertThat(gauge(registry, "tributary.cluster.formats.held")).isEqualTo(1);
        assertThat(gauge(registry, "tributary.cluster.problems")).isEqualTo(1);
        assertThat(gauge(registry, "tributary.ingest.partitions")).isEqualTo(4);
        assertThat(gauge(registry, "tributary.ingest.lag")).isEqualTo(17);
        assertThat(gauge(registry, "tributary.ingest.healthy")).isZero();
    }

    @Test
    void gaugesAskTheBrokerOnceASecond() {
        AtomicInteger asked = new AtomicInteger();
        AtomicLong nanoTime = new AtomicLong();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new StatusGauges(() -> status(true, null, asked.incrementAndGet()), nanoTime::get)
                .register(new BrokerMetrics(registry));
        assertThat(gauge(registry, "tributary.connections")).isEqualTo(1);
        assertThat(gauge(registry, "tributary.ready")).isEqualTo(1);
        assertThat(gauge(registry, "tributary.shards.delivery.size")).isEqualTo(55);
        assertThat(gauge(registry, "tributary.subscriptions.size")).isEqualTo(44);
        assertThat(gauge(registry, "tributary.subscriptions.size.max")).isEqualTo(100);
        assertThat(gauge(registry, "tributary.shards.will.size")).isEqualTo(33);
        assertThat(gauge(registry, "tributary.shards.will.size.max")).isEqualTo(200);
        assertThat(gauge(registry, "tributary.storage.queue")).isEqualTo(99);
        assertThat(gauge(registry, "tributary.storage.memory")).isEqualTo(77);
        assertThat(asked).hasValue(1);
        nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(gauge(registry, "tributary.connections")).isEqualTo(2);
    }

    private static ClusterStatus cluster(List<String> problems, List<String> warnings) {
        return new ClusterStatus(
                7_883,
                3,
                40,
                2,
                7,
                5,
                Duration.ofMillis(31_500),
                !problems.isEmpty(),
                true,
                problems,
                warnings,
                new IngestStatus(4, 17, "no such topic"));
    }

    private static double gauge(SimpleMeterRegistry registry, String name) {
        return registry.get(name).gauge().value();
    }

    private static Health health(ClusterStatus cluster) {
        return new BrokerHealth(() -> status(true, null, 0, cluster)).health();
    }

    private static BrokerStatus status(boolean ready, @Nullable String problem, long connections) {
        return status(ready, problem, connections, null);
    }

    private static BrokerStatus status(
            boolean ready, @Nullable String problem, long connections, @Nullable ClusterStatus cluster) {
        return new BrokerStatus(
                ready,
                null,
                problem,
                List.of("127.0.0.1:1883"),
                connections,
                0,
                0,
                0,
                new MemoryUse(44, 100),
                0,
                0,
                0,
                55,
                new MemoryUse(33, 200),
                99,
                77,
                List.of(),
                cluster);
    }
}
