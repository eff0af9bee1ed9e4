package io.tributary.broker.routing;

import static io.tributary.broker.fake.Messages.message;
import static io.tributary.broker.fake.Messages.publishedBy;
import static io.tributary.broker.fake.Messages.retained;
import static io.tributary.broker.routing.RouterFixture.publisher;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.extension.PublishInterceptor;
import io.tributary.broker.retained.RetainedLimits;
import io.tributary.broker.routing.RouteOutcome.Lost;
import io.tributary.broker.routing.RouteOutcome.NoSubscribers;
import io.tributary.broker.routing.RouteOutcome.Refused;
import io.tributary.broker.routing.RouteOutcome.Safe;
import io.tributary.broker.routing.RouterFixture.Delivered;
import io.tributary.broker.routing.RouterFixture.Relayed;
import io.tributary.broker.routing.RouterRecorder.Drop;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.NodeShare;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** QoS 2 of persistent publishers, and what shards ask the router for. */
class RelayTest {
    private static final Publisher PERSISTENT = publisher("publisher", true);
    private static final Subscriber DEVICE = new Subscriber("device", true, 100);
    private static final Subscriber DASHBOARD = new Subscriber("dashboard", false, 7);
    private static final Message QOS_2 = message("a", "x", QoS.EXACTLY_ONCE);

    private final RouterFixture fixture = new RouterFixture();

    @Test
    void relaysQos2OfAPersistentPublisherAndDeliversNothingItself() {
        fixture.subscribe(DEVICE, "a", QoS.EXACTLY_ONCE);
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);

        List<RouteOutcome> outcomes = fixture.publish(QOS_2, PERSISTENT);

        Relayed relayed = fixture.onlyRelay();
        assertThat(relayed.relay().clientId()).isEqualTo("publisher");
        assertThat(relayed.relay().epoch()).isEqualTo(42);
        assertThat(relayed.relay().packetId()).isEqualTo(5);
        assertThat(relayed.relay().message()).isSameAs(QOS_2);
        assertThat(relayed.relay().destinations())
                .isEqualTo(new Destinations(
                        List.of(new Recipient("device", 100, QoS.EXACTLY_ONCE, false, List.of(), null)),
                        List.of(new NodeShare("node-1", List.of(), true))));
        assertThat(fixture.deliveries).isEmpty();
        assertThat(fixture.appends).isEmpty();
        assertThat(outcomes).isEmpty();
        relayed.callback().onAppended(3, null);
        assertThat(outcomes).containsExactly(new Safe());
    }

    @Test
    void doesNotRelayQos2OfATransientPublisher() {
        fixture.subscribe(DEVICE, "a", QoS.EXACTLY_ONCE);

        fixture.publish(QOS_2, publisher("publisher", false));

        assertThat(fixture.relays).isEmpty();
        assertThat(fixture.onlyAppend().recipients()).hasSize(1);
    }

    @Test
    void doesNotRelayQos1OfAPersistentPublisher() {
        fixture.subscribe(DEVICE, "a", QoS.EXACTLY_ONCE);

        fixture.publish(message("a", "x", QoS.AT_LEAST_ONCE), PERSISTENT);

        assertThat(fixture.relays).isEmpty();
        assertThat(fixture.appends).hasSize(1);
    }

    @Test
    void logsThePacketIdentifierEvenWhenNobodySubscribes() {
        List<RouteOutcome> outcomes = fixture.publish(QOS_2, PERSISTENT);

        assertThat(fixture.onlyRelay().relay().destinations()).isEqualTo(Destinations.NONE);
        fixture.onlyRelay().callback().onAppended(3, null);
        assertThat(outcomes).containsExactly(new NoSubscribers());
    }

    @Test
    void logsThePacketIdentifierEvenWhenAnInterceptorDropsTheMessage() {
        fixture.interceptors.add((client, message) -> new PublishInterceptor.Drop());
        fixture.subscribe(DEVICE, "a", QoS.EXACTLY_ONCE);

        List<RouteOutcome> outcomes = fixture.publish(QOS_2, PERSISTENT);
        fixture.onlyRelay().callback().onAppended(3, null);

        assertThat(fixture.onlyRelay().relay().destinations()).isEqualTo(Destinations.NONE);
        assertThat(outcomes).containsExactly(new NoSubscribers());
    }

    @Test
    void isLostWhenTheRelayFails() {
        List<RouteOutcome> outcomes = fixture.publish(QOS_2, PERSISTENT);

        fixture.onlyRelay().callback().onAppended(-1, new IllegalStateException("closed"));

        assertThat(outcomes).containsExactly(new Lost());
    }

    @Test
    void relaysNothingThatIsRefused() {
        fixture.mayPublish = (client, topic) -> false;

        assertThat(fixture.publish(QOS_2, PERSISTENT)).singleElement().isInstanceOf(Refused.class);
        assertThat(fixture.relays).isEmpty();
    }

    @Test
    void storesARetainedMessageBeforeItIsRelayed() {
        fixture.retainedMap.hold();
        fixture.publish(QOS_2.withRetain(true), PERSISTENT);
        assertThat(fixture.relays).isEmpty();

        fixture.retainedMap.release();

        assertThat(fixture.relays).hasSize(1);
        assertThat(fixture.retained.count()).isEqualTo(1);
    }

    @Test
    void namesGroupMembersInTheRelay() {
        fixture.subscribe(DEVICE, "$share/g/a", QoS.AT_LEAST_ONCE);
        fixture.subscribe(DASHBOARD, "$share/h/a", QoS.AT_LEAST_ONCE);

        fixture.publish(QOS_2, PERSISTENT);

        assertThat(fixture.onlyRelay().relay().destinations())
                .isEqualTo(new Destinations(
                        List.of(new Recipient("device", 100, QoS.AT_LEAST_ONCE, false, List.of(), "$share/g/a")),
                        List.of(new NodeShare(
                                "node-1",
                                List.of(new Recipient(
                                        "dashboard", 7, QoS.AT_LEAST_ONCE, false, List.of(), "$share/h/a")),
                                false))));
    }

    @Test
    void keepsQos0OutOfLogs() {
        fixture.subscribe(DEVICE, "a", QoS.AT_MOST_ONCE);
        fixture.subscribe(DEVICE, "$share/g/a", QoS.AT_MOST_ONCE);
        fixture.connect("device");

        fixture.publish(QOS_2, PERSISTENT);

        Destinations destinations = fixture.onlyRelay().relay().destinations();
        assertThat(destinations.recipients()).isEmpty();
        fixture.router().deliverTransient(QOS_2, destinations, () -> {});
        assertThat(fixture.deliveries).extracting(Delivered::to).containsExactly("device", "device");
        assertThat(fixture.deliveries).extracting(each -> each.message().qos()).containsOnly(QoS.AT_MOST_ONCE);
    }

    @Test
    void deliversARelayedMessageToTransientSessionsOnly() {
        fixture.subscribe(DEVICE, "a", QoS.EXACTLY_ONCE);
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.subscribe(new Subscriber("member", false, 8), "$share/g/a", QoS.EXACTLY_ONCE);
        fixture.publish(QOS_2, PERSISTENT);

        fixture.router().deliverTransient(QOS_2, fixture.onlyRelay().relay().destinations(), () -> {});

        assertThat(fixture.deliveries).extracting(Delivered::to).containsExactlyInAnyOrder("7", "8");
        assertThat(fixture.appends).isEmpty();
    }

    @Test
    void deliversOnlyToNamedMembersWhenNothingElseIsToMatch() {
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.connect("member", 8);
        Recipient member = new Recipient("member", 8, QoS.EXACTLY_ONCE, false, List.of(), "$share/g/a");

        fixture.router()
                .deliverTransient(
                        QOS_2,
                        new Destinations(List.of(), List.of(new NodeShare("node-1", List.of(member), false))),
                        () -> {});

        assertThat(fixture.deliveries).extracting(Delivered::to).containsExactly("8");
    }

    @Test
    void countsQos0ForAMemberThatIsOffline() {
        fixture.subscribe(DEVICE, "$share/g/a", QoS.AT_MOST_ONCE);
        fixture.publish(QOS_2, PERSISTENT);

        fixture.router().deliverTransient(QOS_2, fixture.onlyRelay().relay().destinations(), () -> {});

        assertThat(fixture.drops).containsExactly(Drop.OFFLINE);
    }

    @Test
    void matchesAWillAfterAuthorisation() {
        fixture.subscribe(DEVICE, "a", QoS.EXACTLY_ONCE);

        assertThat(fixture.router().match(QOS_2, null, () -> {}).recipients()).hasSize(1);

        fixture.mayPublish = (client, topic) -> !client.equals("publisher");
        assertThat(fixture.router().match(QOS_2, null, () -> {})).isEqualTo(Destinations.NONE);
        assertThat(fixture.router()
                        .match(publishedBy("", QOS_2), null, () -> {})
                        .recipients())
                .hasSize(1);
    }

    @Test
    void retainsAWillEvenWhenNobodySubscribes() {
        fixture.retainedMap.hold();

        assertThat(fixture.router().match(retained("a", "gone"), null, () -> {}))
                .isEqualTo(Destinations.NONE);

        assertThat(fixture.retained.match(TopicFilter.parse("a"), null, 1)).hasSize(1);
        fixture.retainedMap.release();
        assertThat(fixture.retainedMap.size()).isEqualTo(1);
    }

    @Test
    void matchesAWillThatCannotBeRetained() {
        RouterFixture full = new RouterFixture(new RetainedLimits(0, 0));
        full.subscribe(DEVICE, "a", QoS.EXACTLY_ONCE);

        assertThat(full.router().match(retained("a", "gone"), null, () -> {}).recipients())
                .hasSize(1);
        assertThat(full.drops).containsExactly(Drop.RETAINED_LIMIT);
    }

    /** It may be larger than what the map takes at this node, and came when larger packets were allowed. */
    @Test
    void matchesAWillThatIsRefusedByTheMapOfRetainedMessages() {
        fixture.subscribe(DEVICE, "a", QoS.EXACTLY_ONCE);
        fixture.retainedMap.failWith(new IllegalStateException("too large"));
        AtomicInteger told = new AtomicInteger();

        assertThat(fixture.router()
                        .match(retained("a", "gone"), null, told::incrementAndGet)
                        .recipients())
                .hasSize(1);
        assertThat(told).hasValue(1);
        assertThat(fixture.drops).containsExactly(Drop.FAILED);
        assertThat(fixture.retained.count()).isZero();
    }

    @Test
    void handsOverToAnotherMemberThatIsOnline() {
        Subscriber other = new Subscriber("other", true, 200);
        fixture.subscribe(DEVICE, "$share/g/a", QoS.EXACTLY_ONCE);
        fixture.subscribe(
                other, new SubscriptionRequest(TopicFilter.parse("$share/g/a"), QoS.AT_LEAST_ONCE, false, false, 3));
        fixture.subscriptions.online(DEVICE);
        Recipient leaving = new Recipient("device", 100, QoS.EXACTLY_ONCE, false, List.of(), "$share/g/a");
        assertThat(fixture.router().matchGroup(QOS_2, leaving, false)).isEqualTo(Destinations.NONE);

        fixture.subscriptions.online(other);

        assertThat(fixture.router().matchGroup(QOS_2, leaving, false))
                .isEqualTo(new Destinations(
                        List.of(new Recipient("other", 200, QoS.AT_LEAST_ONCE, false, List.of(3), "$share/g/a")),
                        List.of()));
        fixture.mayReceive = (client, topic) -> false;
        assertThat(fixture.router().matchGroup(QOS_2, leaving, false)).isEqualTo(Destinations.NONE);
    }

    @Test
    void handsOverToAMemberThatIsOfflineWhenItMayWait() {
        Subscriber other = new Subscriber("other", true, 200);
        fixture.subscribe(DEVICE, "$share/g/a", QoS.EXACTLY_ONCE);
        fixture.subscribe(other, "$share/g/a", QoS.EXACTLY_ONCE);
        Recipient leaving = new Recipient("device", 100, QoS.EXACTLY_ONCE, false, List.of(), "$share/g/a");

        assertThat(fixture.router().matchGroup(QOS_2, leaving, false)).isEqualTo(Destinations.NONE);
        assertThat(fixture.router().hasOnlineMember("$share/g/a")).isFalse();
        assertThat(fixture.router().matchGroup(QOS_2, leaving, true).recipients())
                .extracting(Recipient::clientId)
                .containsExactly("other");

        fixture.subscriptions.online(other);

        assertThat(fixture.router().hasOnlineMember("$share/g/a")).isTrue();
        assertThat(fixture.router().hasOnlineMember("$share/unknown/a")).isFalse();
    }

    @Test
    void handsOverToATransientMember() {
        fixture.subscribe(DASHBOARD, "$share/g/a", QoS.EXACTLY_ONCE);
        Recipient leaving = new Recipient("device", 100, QoS.EXACTLY_ONCE, false, List.of(), "$share/g/a");

        Destinations destinations = fixture.router().matchGroup(QOS_2, leaving, false);

        assertThat(destinations.nodes())
                .containsExactly(new NodeShare(
                        "node-1",
                        List.of(new Recipient("dashboard", 7, QoS.EXACTLY_ONCE, false, List.of(), "$share/g/a")),
                        false));
    }

    @Test
    void handsOverToNobodyWhenTheGroupIsGone() {
        assertThat(fixture.router()
                        .matchGroup(
                                QOS_2, new Recipient("d", 1, QoS.EXACTLY_ONCE, false, List.of(), "$share/g/a"), false))
                .isEqualTo(Destinations.NONE);
        assertThat(fixture.router()
                        .matchGroup(QOS_2, new Recipient("d", 1, QoS.EXACTLY_ONCE, false, List.of(), null), false))
                .isEqualTo(Destinations.NONE);
    }
}
