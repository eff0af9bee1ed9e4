package io.tributary.cluster.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.cluster.link.Refusal;
import io.tributary.cluster.redis.RedisRecorder;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClusterMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ClusterMetrics metrics = ClusterMetrics.registered(registry);

    @BeforeEach
    void everyEventOnce() {
        metrics.kafka().onRecords(8);
        metrics.kafka().onEarlyRecords(7);
        metrics.kafka().onRefusal();
        metrics.kafka().onError();
        metrics.redis().onCall(RedisRecorder.Operation.SAVE, TimeUnit.MILLISECONDS.toNanos(3), 50, 60);
        metrics.redis().onFailure(RedisRecorder.Operation.CLAIM, RedisRecorder.Failure.FENCED);
        metrics.redis().onWaitingReads(9);
        metrics.links().up();
        metrics.links().up();
        metrics.links().down();
        metrics.links().sent(10, 100);
        metrics.links().received(11, 110);
        metrics.links().sendRefused();
        metrics.links().refused(Refusal.WRONG_SECRET);
        metrics.links().reconnecting();
        metrics.links().silent();
        metrics.links().stalled();
        metrics.cluster().onHandedOver();
        metrics.cluster().onGivenUp();
        metrics.cluster().onLeftOut();
        metrics.cluster().onVisibilityRefused();
        metrics.cluster().onDeclaredDead();
    }

    @Test
    void onlyListedMetersAreRegistered() {
        Map<String, BrokerMeters> listed = Arrays.stream(BrokerMeters.values())
                .collect(Collectors.toMap(BrokerMeters::meterName, Function.identity()));
        assertThat(registry.getMeters())
                .map(Meter::getId)
                .filteredOn(id -> !id.getName().endsWith(".histogram"))
                .isNotEmpty()
                .allSatisfy(id -> {
                    BrokerMeters meter = listed.get(id.getName());
                    assertThat(meter).as(id.getName()).isNotNull();
                    assertThat(id.getTags().stream().map(Tag::getKey))
                            .containsExactlyInAnyOrderElementsOf(meter.tags());
                });
    }

    @Test
    void eventsAreCounted() {
        assertThat(count("tributary.kafka.records")).isEqualTo(8);
        assertThat(count("tributary.kafka.records.early")).isEqualTo(7);
        assertThat(count("tributary.kafka.refusals")).isEqualTo(1);
        assertThat(count("tributary.kafka.errors")).isEqualTo(1);
        assertThat(registry.get("tributary.redis.calls")
                        .tag("operation", "save")
                        .timer()
                        .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(3);
        assertThat(count("tributary.redis.failures", "operation", "claim", "reason", "fenced"))
                .isEqualTo(1);
        assertThat(count("tributary.redis.bytes", "direction", "sent")).isEqualTo(50);
        assertThat(count("tributary.redis.bytes", "direction", "received")).isEqualTo(60);
        assertThat(registry.get("tributary.redis.waiting.reads").gauge().value())
                .isEqualTo(9);
        assertThat(registry.get("tributary.links").gauge().value()).isEqualTo(1);
        assertThat(count("tributary.links.ended")).isEqualTo(1);
        assertThat(count("tributary.links.timeouts", "reason", "silent")).isEqualTo(1);
        assertThat(count("tributary.links.timeouts", "reason", "stalled")).isEqualTo(1);
        assertThat(count("tributary.links.reconnects")).isEqualTo(1);
        assertThat(count("tributary.links.refused", "reason", "wrong_secret")).isEqualTo(1);
        assertThat(count("tributary.links.frames", "direction", "sent")).isEqualTo(10);
        assertThat(count("tributary.links.frames", "direction", "received")).isEqualTo(11);
        assertThat(count("tributary.links.bytes", "direction", "sent")).isEqualTo(100);
        assertThat(count("tributary.links.bytes", "direction", "received")).isEqualTo(110);
        assertThat(count("tributary.links.frames.refused")).isEqualTo(1);
        assertThat(count("tributary.cluster.messages.handed")).isEqualTo(1);
        assertThat(count("tributary.cluster.messages.untaken")).isEqualTo(1);
        assertThat(count("tributary.cluster.left.out")).isEqualTo(1);
        assertThat(count("tributary.cluster.visibility.refused")).isEqualTo(1);
        assertThat(count("tributary.cluster.declared.dead")).isEqualTo(1);
    }

    private double count(String name, String... tags) {
        return registry.get(name).tags(tags).functionCounter().count();
    }
}
