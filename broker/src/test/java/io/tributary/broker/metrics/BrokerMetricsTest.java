package io.tributary.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.session.PauseReason;
import io.tributary.broker.shard.ShardRecorder;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class BrokerMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final BrokerMetrics metrics = new BrokerMetrics(registry);

    @Test
    void namesFollowMicrometer() {
        assertThat(BrokerMeters.values()).allSatisfy(meter -> {
            assertThat(meter.meterName()).matches("tributary(\\.[a-z]+)+");
            assertThat(meter.tags()).allMatch(tag -> tag.matches("[a-z]+"));
            assertThat(meter.description()).endsWith(".");
        });
    }

    @Test
    void namesAreUnique() {
        assertThat(Arrays.stream(BrokerMeters.values()).map(BrokerMeters::meterName))
                .doesNotHaveDuplicates();
    }

    @Test
    void onlyListedMetersAreRegistered() {
        everyEventOnce();
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
        everyEventOnce();
        assertThat(count("tributary.connections.opened", "listener", "tcp")).isEqualTo(1);
        assertThat(count("tributary.network.packets", "direction", "received")).isEqualTo(2);
        assertThat(count("tributary.network.bytes", "direction", "sent")).isEqualTo(30);
        assertThat(count("tributary.clients.connected", "session", "resumed")).isEqualTo(1);
        assertThat(count("tributary.clients.refused", "reason", "banned")).isEqualTo(1);
        assertThat(count("tributary.clients.reading.paused", "reason", "congested"))
                .isEqualTo(1);
        assertThat(count("tributary.messages.received", "qos", "1")).isEqualTo(1);
        assertThat(count("tributary.messages.delivered")).isEqualTo(5);
        assertThat(count("tributary.messages.dropped", "place", "router", "reason", "offline"))
                .isEqualTo(1);
        assertThat(count("tributary.messages.dropped", "place", "queue", "reason", "expired"))
                .isEqualTo(1);
        assertThat(count("tributary.shards.records")).isEqualTo(7);
        assertThat(count("tributary.storage.writes")).isEqualTo(4);
        assertThat(registry.get("tributary.messages.in.flight").gauge().value()).isEqualTo(3);
        assertThat(registry.get("tributary.storage.commits").timer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(2);
    }

    @Test
    void wrongKindOfMeterIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> metrics.gauge(BrokerMeters.PACKETS, () -> 1))
                .withMessageContaining("COUNTER");
    }

    private void everyEventOnce() {
        metrics.connections().opened("tcp");
        metrics.connections().closed("tcp");
        metrics.connections().rejected("tcp");
        metrics.connections().received(2, 20);
        metrics.connections().sent(3, 30);
        metrics.connections().stalled();
        metrics.sessions().connected(true);
        metrics.sessions().refused(ReasonCode.BANNED);
        metrics.sessions().disconnected(ReasonCode.SUCCESS);
        metrics.sessions().inFlightChanged(3);
        metrics.sessions().keepAliveTimeout();
        metrics.sessions().readingPaused(PauseReason.CONGESTED);
        metrics.router()
                .received(new Message(
                        "a", new byte[0], QoS.AT_LEAST_ONCE, false, PublishProperties.NONE, Message.NEVER, "p"));
        metrics.router().delivered(5);
        metrics.router().dropped(RouterRecorder.Drop.OFFLINE);
        metrics.shards().dropped(ShardRecorder.DropReason.EXPIRED);
        metrics.shards().saved(6);
        metrics.shards().storeFailed();
        metrics.shards().folded(7);
        metrics.shards().live(0, 1);
        metrics.storage().onCommit(4, 400, TimeUnit.MILLISECONDS.toNanos(2));
        metrics.storage().onRefusal();
        metrics.storage().onSync(1);
        metrics.storage().onError();
    }

    private double count(String name, String... tags) {
        return registry.get(name).tags(tags).functionCounter().count();
    }
}
