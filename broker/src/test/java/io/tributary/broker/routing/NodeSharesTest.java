package io.tributary.broker.routing;

import static io.tributary.broker.fake.Messages.message;
import static io.tributary.broker.routing.RouterFixture.publisher;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.fake.InMemoryReplicatedMap;
import io.tributary.broker.routing.RouteOutcome.Lost;
import io.tributary.broker.routing.RouteOutcome.NoSubscribers;
import io.tributary.broker.routing.RouteOutcome.Safe;
import io.tributary.broker.routing.RouterFixture.Delivered;
import io.tributary.broker.routing.RouterRecorder.Drop;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.SharedChoice;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionLimits;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.NodeShare;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What goes to other nodes and what comes from them. */
class NodeSharesTest {
    private static final Subscriber DEVICE = new Subscriber("device", true, 100);
    private static final Subscriber DASHBOARD = new Subscriber("dashboard", false, 7);
    private static final Message QOS_1 = message("a", "x", QoS.AT_LEAST_ONCE);
    private static final Message QOS_2 = message("a", "x", QoS.EXACTLY_ONCE);

    private final RouterFixture fixture = new RouterFixture();

    @Test
    void isSafeWhenTheLogsAndAllOtherNodesHaveIt() {
        onNode("node-2#1", "a", DASHBOARD);
        onNode("node-3#1", "a", DASHBOARD);
        fixture.subscribe(DEVICE, "a", QoS.AT_LEAST_ONCE);
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);

        List<RouteOutcome> outcomes = fixture.publish(QOS_1);

        assertThat(fixture.inbox.shares())
                .containsExactlyInAnyOrder(
                        new NodeShare("node-2#1", List.of(), true), new NodeShare("node-3#1", List.of(), true));
        assertThat(fixture.onlyDelivery().to()).isEqualTo("7");
        fixture.inbox.sent.get(0).done().run();
        fixture.onlyAppend().callback().onAppended(3, null);
        assertThat(outcomes).isEmpty();
        fixture.inbox.sent.get(1).done().run();
        assertThat(outcomes).containsExactly(new Safe());
    }

    @Test
    void hasSubscribersWhenOnlyAnotherNodeHas() {
        onNode("node-2#1", "a", DASHBOARD);

        List<RouteOutcome> outcomes = fixture.publish(QOS_1);
        fixture.inbox.sent.getFirst().done().run();

        assertThat(outcomes).containsExactly(new Safe());
        assertThat(fixture.publish(message("b", "x", QoS.AT_LEAST_ONCE))).containsExactly(new NoSubscribers());
    }

    @Test
    void isLostWhenTheLogFailsThoughTheNodeHasIt() {
        onNode("node-2#1", "a", DASHBOARD);
        fixture.subscribe(DEVICE, "a", QoS.AT_LEAST_ONCE);

        List<RouteOutcome> outcomes = fixture.publish(QOS_1);
        fixture.onlyAppend().callback().onAppended(-1, new IllegalStateException("closed"));
        fixture.inbox.sent.getFirst().done().run();

        assertThat(outcomes).containsExactly(new Lost());
    }

    @Test
    void givesAMemberOnAnotherNodeItsMessageThroughThatNode() {
        onNode("node-2#1", "$share/g/a", new Subscriber("member", false, 8));

        List<RouteOutcome> outcomes = fixture.publish(QOS_2);

        assertThat(fixture.inbox.shares())
                .containsExactly(new NodeShare("node-2#1", List.of(member("member", 8, "$share/g/a")), false));
        assertThat(fixture.deliveries).isEmpty();
        assertThat(outcomes).isEmpty();
        fixture.inbox.sent.getFirst().done().run();
        assertThat(outcomes).containsExactly(new Safe());
    }

    @Test
    void sendsOneShareToANodeWithMembersAndARoute() {
        onNode("node-2#1", "a", DASHBOARD);
        onNode("node-2#1", "$share/g/a", new Subscriber("member", false, 8));

        fixture.publish(QOS_2);

        assertThat(fixture.inbox.shares())
                .containsExactly(new NodeShare("node-2#1", List.of(member("member", 8, "$share/g/a")), true));
    }

    @Test
    void asksWhetherAMemberOnAnotherNodeMayReceive() {
        onNode("node-2#1", "$share/g/a", new Subscriber("member", false, 8));
        fixture.mayReceive = (client, topic) -> !client.equals("member");

        fixture.publish(QOS_2);

        assertThat(fixture.inbox.sent).isEmpty();
        assertThat(fixture.drops).contains(Drop.RECEIVE_NOT_AUTHORIZED);
    }

    @Test
    void sendsQos0ForAPersistentSessionToWhereItIsConnected() {
        fixture.subscribe(DEVICE, "a", QoS.AT_MOST_ONCE);
        fixture.inbox.reachable.add("device");

        assertThat(fixture.publish(QOS_1)).containsExactly(new Safe());
        assertThat(fixture.inbox.sentQos0).hasSize(1);
        assertThat(fixture.inbox.sentQos0.getFirst().session()).isEqualTo(100);
        assertThat(fixture.drops).isEmpty();

        fixture.inbox.reachable.clear();
        fixture.publish(QOS_1);
        assertThat(fixture.drops).containsExactly(Drop.OFFLINE);
    }

    @Test
    void namesAllSharesInARelay() {
        onNode("node-2#1", "a", DASHBOARD);
        onNode("node-3#1", "$share/g/a", new Subscriber("member", false, 8));
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.subscribe(new Subscriber("quick", true, 300), "a", QoS.AT_MOST_ONCE);

        fixture.publish(QOS_2, publisher("publisher", true));

        Recipient quick = new Recipient("quick", 300, QoS.AT_MOST_ONCE, false, List.of(), null);
        assertThat(fixture.onlyRelay().relay().destinations().nodes())
                .containsExactlyInAnyOrder(
                        new NodeShare("node-1", List.of(quick), true),
                        new NodeShare("node-2#1", List.of(), true),
                        new NodeShare("node-3#1", List.of(member("member", 8, "$share/g/a")), false));
        assertThat(fixture.inbox.sent).isEmpty();
    }

    @Test
    void handsEachNodeItsShareAndWaitsForNobody() {
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.connect("member", 8);
        NodeShare own = new NodeShare("node-1", List.of(member("member", 8, "$share/g/a")), true);
        NodeShare other = new NodeShare("node-2#1", List.of(member("far", 8, "$share/g/a")), true);

        fixture.router().deliverTransient(QOS_2, new Destinations(List.of(), List.of(own, other)), () -> {});

        assertThat(fixture.deliveries).extracting(Delivered::to).containsExactly("8", "7");
        assertThat(fixture.inbox.shares()).containsExactly(other);
    }

    @Test
    void handsOverToAMemberOnAnotherNode() {
        onNode("node-2#1", "$share/g/a", new Subscriber("device", false, 100)); // not the one that leaves
        fixture.subscribe(DEVICE, "$share/g/a", QoS.EXACTLY_ONCE);
        Recipient leaving = new Recipient("device", 100, QoS.EXACTLY_ONCE, false, List.of(), "$share/g/a");

        assertThat(fixture.router().hasOnlineMember("$share/g/a")).isTrue();
        assertThat(fixture.router().matchGroup(QOS_2, leaving, false))
                .isEqualTo(new Destinations(
                        List.of(),
                        List.of(new NodeShare("node-2#1", List.of(member("device", 100, "$share/g/a")), false))));
    }

    @Test
    void takesForTransientSessionsHereOnly() {
        onNode("node-3#1", "a", DASHBOARD);
        fixture.subscribe(DEVICE, "a", QoS.EXACTLY_ONCE);
        fixture.subscribe(new Subscriber("quick", true, 300), "a", QoS.AT_MOST_ONCE);
        fixture.connect("quick");
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);
        fixture.subscribe(new Subscriber("member", false, 8), "$share/g/a", QoS.EXACTLY_ONCE);

        fixture.connect("chosen", 9);
        fixture.router().take(QOS_2, List.of(member("chosen", 9, "$share/h/a")), true, null);

        assertThat(fixture.deliveries).extracting(Delivered::to).containsExactly("9", "7");
        assertThat(fixture.delivered).isEqualTo(2);
        assertThat(fixture.received).isZero();
        assertThat(fixture.appends).isEmpty();
        assertThat(fixture.inbox.sent).isEmpty();
        assertThat(fixture.inbox.sentQos0).isEmpty();
    }

    /** The node that chose a member does not know its client. */
    @Test
    void givesToAnotherMemberHereWhenTheChosenOneMayNot() {
        fixture.mayReceive = (client, topic) -> !client.equals("chosen");
        fixture.subscribe(new Subscriber("chosen", false, 9), "$share/g/a", QoS.EXACTLY_ONCE);

        fixture.router().take(QOS_2, List.of(member("chosen", 9, "$share/g/a")), false, null);
        assertThat(fixture.deliveries).isEmpty();
        assertThat(fixture.drops).containsExactly(Drop.RECEIVE_NOT_AUTHORIZED);

        fixture.subscribe(new Subscriber("other", false, 8), "$share/g/a", QoS.EXACTLY_ONCE);
        fixture.router().take(QOS_2, List.of(member("chosen", 9, "$share/g/a")), false, null);
        assertThat(fixture.deliveries).extracting(Delivered::to).containsExactly("8");

        onNode("node-3#1", "$share/g/a", new Subscriber("far", false, 10));
        for (int i = 0; i < 4; i++) { // the first has nothing to compare with
            fixture.subscriptions.lookForStuck(_ -> 1);
        }
        fixture.router().take(QOS_2, List.of(member("chosen", 9, "$share/g/a")), false, null);
        assertThat(fixture.deliveries).extracting(Delivered::to).containsExactly("8", "8");
    }

    @Test
    void takesForMembersOnlyWhenNothingIsToBeMatched() {
        fixture.subscribe(DASHBOARD, "a", QoS.AT_LEAST_ONCE);

        fixture.connect("chosen", 9);
        fixture.router().take(QOS_2, List.of(member("chosen", 9, "$share/h/a")), false, null);

        assertThat(fixture.deliveries).extracting(Delivered::to).containsExactly("9");
    }

    @Test // [MQTT-3.8.3-3]
    void takesNothingForThePublisherOfAMessageWhenItWantsNone() {
        fixture.subscribe(
                new Subscriber("publisher", false, 7),
                new SubscriptionRequest(TopicFilter.parse("a"), QoS.AT_LEAST_ONCE, true, false, 0));

        fixture.router().take(QOS_2, List.of(), true, null);

        assertThat(fixture.deliveries).isEmpty();
    }

    @Test
    void takesForAPersistentSessionThatIsNamedWithQos0() {
        fixture.connect("quick");
        fixture.inbox.reachable.add("elsewhere");
        Recipient here = new Recipient("quick", 300, QoS.AT_MOST_ONCE, false, List.of(), null);
        Recipient elsewhere = new Recipient("elsewhere", 300, QoS.AT_MOST_ONCE, false, List.of(), null);
        Recipient offline = new Recipient("offline", 300, QoS.AT_MOST_ONCE, false, List.of(), null);

        fixture.router().take(QOS_2, List.of(here, elsewhere, offline), false, null);

        assertThat(fixture.onlyDelivery().to()).isEqualTo("quick");
        assertThat(fixture.inbox.sentQos0).hasSize(1);
        assertThat(fixture.drops).containsExactly(Drop.OFFLINE);
    }

    @Test
    void keepsWhatANodeSaysOfItselfAmongItsOwnSubscribers() {
        String topic = "$SYS/broker/uptime";
        onNode("node-2#1", topic, DASHBOARD);
        onNode("node-2#1", "$share/g/" + topic, new Subscriber("far", false, 8));
        fixture.subscribe(DASHBOARD, topic, QoS.AT_MOST_ONCE);
        fixture.subscribe(DEVICE, topic, QoS.AT_LEAST_ONCE);
        fixture.subscribe(new Subscriber("offline", true, 200), topic, QoS.AT_LEAST_ONCE);
        fixture.subscribe(new Subscriber("near", false, 9), "$share/g/" + topic, QoS.AT_MOST_ONCE);
        fixture.connect("device");

        fixture.router().deliverHere(message(topic, "1 seconds", QoS.AT_MOST_ONCE));
        fixture.router().deliverHere(message(topic, "2 seconds", QoS.AT_MOST_ONCE));

        assertThat(fixture.deliveries)
                .extracting(Delivered::to)
                .containsExactlyInAnyOrder("7", "device", "9", "7", "device", "9");
        assertThat(fixture.inbox.sent).isEmpty();
        assertThat(fixture.inbox.sentQos0).isEmpty();
        assertThat(fixture.appends).isEmpty();
        assertThat(fixture.drops).isEmpty();
    }

    /** Another node tells that it has a transient session with a subscription. */
    private void onNode(String node, String filter, Subscriber subscriber) {
        InMemoryReplicatedMap told = new InMemoryReplicatedMap();
        Subscriptions others = new Subscriptions(
                new InMemoryReplicatedMap(),
                new Routes(told, node, RecordFormat.alone()),
                SubscriptionLimits.defaults(),
                SharedChoice.DEFAULT,
                _ -> 0,
                1,
                _ -> 0);
        others.subscribe(
                subscriber,
                0,
                List.of(new SubscriptionRequest(TopicFilter.parse(filter), QoS.EXACTLY_ONCE, false, false, 0)));
        for (String key : told.written()) {
            fixture.routesMap.changeFromElsewhere(key, told.get(key));
        }
    }

    private static Recipient member(String clientId, long connection, String group) {
        return new Recipient(clientId, connection, QoS.EXACTLY_ONCE, false, List.of(), group);
    }
}
