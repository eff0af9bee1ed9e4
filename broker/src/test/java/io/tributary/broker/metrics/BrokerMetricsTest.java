package io.tributary.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.connection.DropReason;
import io.tributary.broker.connection.PauseReason;
import io.tributary.broker.routing.PriorityRule;
import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.shard.ShardRecorder;
import io.tributary.broker.sys.SysStats;
import io.tributary.broker.sys.SysStats.Flow;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.util.Arrays;
import java.util.List;
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
    void longestDelayOfASnapshotIsShownAsLongAsItLasts() {
        metrics.shards().snapshotDelay(1, 1_500);
        metrics.shards().snapshotDelay(2, 2_500);
        assertThat(snapshotDelay()).isEqualTo(2.5);
        metrics.shards().snapshotDelay(2, 0);
        assertThat(snapshotDelay()).isEqualTo(1.5);
        metrics.shards().snapshotDelay(1, 0);
        assertThat(snapshotDelay()).isZero();
    }

    private double snapshotDelay() {
        return registry.get("tributary.shards.snapshot.delay").gauge().value();
    }

    @Test
    void eventsAreCounted() {
        everyEventOnce();
        assertThat(count("tributary.connections.opened", "listener", "tcp")).isEqualTo(1);
        assertThat(count("tributary.network.packets", "direction", "received")).isEqualTo(2);
        assertThat(count("tributary.network.bytes", "direction", "sent")).isEqualTo(30);
        assertThat(count("tributary.clients.connected", "session", "resumed")).isEqualTo(4);
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
        assertThat(clients("device")).isZero();
        assertThat(clients("application")).isEqualTo(1);
        assertThat(registry.get("tributary.storage.commits").timer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(2);
        assertThat(registry.get("tributary.messages.acknowledged")
                        .tag("qos", "1")
                        .timer()
                        .totalTime(TimeUnit.MICROSECONDS))
                .isEqualTo(1_500);
        assertThat(registry.get("tributary.messages.delivery").timer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(3);
    }

    @Test
    void trafficIsOfTheSameCountersWhenRegisteredOrNot() {
        everyEventOnce();
        assertThat(metrics.traffic())
                .isEqualTo(new SysStats.Traffic(1, new Flow(2, 3), new Flow(1, 5), 2, 1, new Flow(20, 30)));
        BrokerMetrics unregistered = BrokerMetrics.unregistered();
        unregistered.network().opened("tcp");
        unregistered.network().opened("ws");
        assertThat(unregistered.traffic().connections()).isEqualTo(2);
    }

    @Test
    void dropsOfAllPlacesAreOneFigure() {
        metrics.clients().dropped(DropReason.EXPIRED);
        metrics.router().dropped(RouterRecorder.Drop.OFFLINE);
        metrics.shards().dropped(ShardRecorder.Drop.QUEUE_FULL);
        assertThat(metrics.traffic().publishesDropped()).isEqualTo(3);
    }

    @Test
    void dropsCountByAHundredRuleSetsAndOthersTogether() {
        for (int i = 0; i < 150; i++) {
            metrics.router().notAuthorized(RouterRecorder.Drop.PUBLISH_NOT_AUTHORIZED, "set-" + i);
            metrics.clients().notAuthorized("set-" + i);
        }
        metrics.clients().notAuthorized(null);
        metrics.clients().notAuthorized("none");
        String meter = "tributary.messages.dropped";
        assertThat(registry.get(meter).functionCounters())
                .map(counter -> counter.getId().getTag("rules"))
                .filteredOn(name -> name != null && name.startsWith("set-"))
                .hasSize(200);
        assertThat(count(meter, "place", "session", "rules", "set-7")).isEqualTo(1);
        assertThat(count(meter, "place", "router", "rules", "other")).isEqualTo(50);
        assertThat(count(meter, "place", "session", "rules", "none", "reason", "not_authorized"))
                .isEqualTo(2);
        assertThat(metrics.traffic().publishesDropped()).isEqualTo(302);
    }

    @Test
    void missedDeadlinesCountForTheFirstRule() {
        assertThat(metrics.shards().countsDeadlines()).isFalse();
        metrics.countDeadlines(List.of(
                PriorityRule.of("alarms", "alarms/#", 3),
                PriorityRule.of("all", "#", 0),
                PriorityRule.of("never", "alarms/1", 0)));
        assertThat(metrics.shards().countsDeadlines()).isTrue();
        assertThat(missed("alarms")).isZero();

        metrics.shards().deadlineMissed("alarms/1");
        metrics.clients().deadlineMissed(TenantNames.topic("acme", "alarms/1"));
        metrics.clients().deadlineMissed("other");
        metrics.clients().deadlineMissed("$other");
        metrics.clients().deadlineMissed(TenantNames.topic(TenantNames.BROKER, "canary/7"));

        assertThat(missed("alarms")).isEqualTo(2);
        assertThat(missed("all")).isEqualTo(1);
        assertThat(missed("never")).isZero();
    }

    private double missed(String rule) {
        return count("tributary.deadlines.missed", "rule", rule);
    }

    @Test
    void maximumStaysWhenClientsLeave() {
        metrics.clients().connected(ClientKind.DEVICE, false);
        metrics.clients().connected(ClientKind.DEVICE, true);
        metrics.clients().disconnected(ClientKind.DEVICE, ReasonCode.SUCCESS);
        metrics.clients().disconnected(ClientKind.DEVICE, ReasonCode.SUCCESS);
        metrics.clients().connected(ClientKind.DEVICE, false);
        assertThat(metrics.mostClients()).isEqualTo(2);
    }

    @Test
    void applicationsAreCountedWhileTheyAreConnected() {
        metrics.clients().connected(ClientKind.APPLICATION, false);
        metrics.clients().connected(ClientKind.SMALL_APPLICATION, false);
        metrics.clients().connected(ClientKind.DEVICE, false);
        assertThat(metrics.applications()).isEqualTo(2);
        metrics.clients().disconnected(ClientKind.DEVICE, ReasonCode.SUCCESS);
        metrics.clients().disconnected(ClientKind.APPLICATION, ReasonCode.SUCCESS);
        assertThat(metrics.applications()).isEqualTo(1);
    }

    @Test
    void wrongKindOfMeterIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> metrics.gauge(BrokerMeters.PACKETS, () -> 1))
                .withMessageContaining("COUNTER");
    }

    private double clients(String kind) {
        return registry.get("tributary.clients").tag("kind", kind).gauge().value();
    }

    private void everyEventOnce() {
        metrics.countDeadlines(List.of(PriorityRule.of("alarms", "alarms/#", 3)));
        metrics.network().opened("tcp");
        metrics.network().closed("tcp");
        metrics.network().rejected("tcp");
        metrics.network().received(2, 20);
        metrics.network().sent(3, 30);
        metrics.network().stalled();
        metrics.clients().connected(ClientKind.DEVICE, true);
        metrics.clients().connected(ClientKind.DEVICE, true);
        metrics.clients().connected(ClientKind.APPLICATION, true);
        metrics.clients().connected(ClientKind.SMALL_APPLICATION, true);
        metrics.clients().refused(ReasonCode.BANNED);
        metrics.clients().disconnected(ClientKind.DEVICE, ReasonCode.SUCCESS);
        metrics.clients().disconnected(ClientKind.DEVICE, ReasonCode.SUCCESS);
        metrics.clients().disconnected(ClientKind.APPLICATION, ReasonCode.SUCCESS);
        metrics.clients().inFlightChanged(3);
        metrics.clients().acknowledged(QoS.AT_LEAST_ONCE, 1_500_000);
        metrics.shards().handedOn(3);
        metrics.clients().keepAliveTimeout();
        metrics.clients().readingPaused(PauseReason.CONGESTED);
        metrics.router()
                .received(new Message(
                        "a", new byte[0], QoS.AT_LEAST_ONCE, false, PublishProperties.NONE, Message.NEVER, "p"));
        metrics.router().delivered(5);
        metrics.router().dropped(RouterRecorder.Drop.OFFLINE);
        metrics.router().dropped(RouterRecorder.Drop.NO_SUBSCRIBERS);
        metrics.shards().dropped(ShardRecorder.Drop.EXPIRED);
        metrics.shards().saved(6);
        metrics.shards().storeFailed();
        metrics.shards().snapshotDelay(1, 2_500);
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
