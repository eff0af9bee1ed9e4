package io.tributary.broker.subscription;

import static io.tributary.broker.subscription.Requests.withId;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.fake.SharedReplicatedMap;
import io.tributary.broker.subscription.RouteRecord.Presence;
import io.tributary.broker.subscription.RouteRecord.Route;
import io.tributary.broker.subscription.SubscriptionRequest.Outcome;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RoutesTest {
    private static final String GROUP = "$share/g/t";

    private final SharedReplicatedMap stored = new SharedReplicatedMap();
    private final SharedReplicatedMap routes = new SharedReplicatedMap();
    private final TestNode a = new TestNode("a#1", stored, routes);
    private final TestNode b = new TestNode("b#1", stored, routes);

    @Test
    void keepsOneRecordForAFilterHoweverManySessionsHaveIt() {
        for (int i = 0; i < 100; i++) {
            assertThat(a.subscribe(dashboard(i), "plant/#")).isCompletedWithValue(List.of(Outcome.CREATED));
        }
        assertThat(routes.stored()).hasSize(1);
        assertThat(routes.changes()).isEqualTo(1);
        assertThat(b.nodes("plant/1")).containsExactly("a#1");

        for (int i = 0; i < 99; i++) {
            a.subscriptions.end(dashboard(i));
        }
        assertThat(b.nodes("plant/1")).containsExactly("a#1");
        a.unsubscribe(dashboard(99), "plant/#");

        assertThat(routes.stored()).isEmpty();
        assertThat(b.nodes("plant/1")).isEmpty();
    }

    @Test
    void namesANodeOnceAndNotItself() {
        a.subscribe(dashboard(1), "plant/#", "plant/+");
        a.subscribe(dashboard(2), "plant/1");

        assertThat(b.nodes("plant/1")).containsExactly("a#1");
        assertThat(b.receivers("plant/1")).isEmpty();
        assertThat(a.nodes("plant/1")).isEmpty();
        assertThat(a.receivers("plant/1")).containsExactlyInAnyOrder(dashboard(1), dashboard(2));
    }

    @Test
    void forgetsWhatATopicMatchedWhenARouteComesOrGoes() {
        assertThat(b.nodes("plant/1")).isEmpty();
        a.subscribe(dashboard(1), "plant/1");
        assertThat(b.nodes("plant/1")).containsExactly("a#1");
        a.subscriptions.end(dashboard(1));
        assertThat(b.nodes("plant/1")).isEmpty();
    }

    @Test
    void acknowledgesEachSubscriptionOnlyWhenTheOtherNodeShowsTheRoute() {
        b.routes.stopReading();
        CompletionStage<?> first = a.subscribe(dashboard(1), "t");
        CompletionStage<?> second = a.subscribe(dashboard(2), "t");
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();

        b.routes.goOnReading();

        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(a.receivers("t")).containsExactlyInAnyOrder(dashboard(1), dashboard(2));
        assertThat(b.nodes("t")).containsExactly("a#1");
    }

    @Test
    void makesNoneOfTheSubscriptionsWhenTheRouteIsRefused() {
        a.subscribe(dashboard(1), "kept");
        a.routes.refuse(new IllegalStateException("too much waits"));

        assertThat(a.subscribe(dashboard(1), "t", "u", GROUP)).isCompletedExceptionally();

        assertThat(a.receivers("t")).isEmpty();
        assertThat(a.receivers("kept")).containsExactly(dashboard(1));
        assertThat(a.subscriptions.group(GROUP)).isNull();
        assertThat(a.subscriptions.of(dashboard(1))).hasSize(1);
    }

    @Test
    void writesTheRouteAgainForTheNextOneWhenItWasRefused() {
        a.routes.refuse(new IllegalStateException("too much waits"));
        assertThat(a.subscribe(dashboard(1), "t")).isCompletedExceptionally();
        a.routes.refuse(null);

        assertThat(a.subscribe(dashboard(2), "t")).isCompleted();
        assertThat(b.nodes("t")).containsExactly("a#1");

        a.subscriptions.end(dashboard(1));
        assertThat(b.nodes("t")).containsExactly("a#1");
        a.subscriptions.end(dashboard(2));
        assertThat(b.nodes("t")).isEmpty();
    }

    @Test
    void keepsTheOldOptionsOfAMemberWhenNewOnesAreRefused() {
        a.subscriptions.subscribe(dashboard(1), 0, List.of(withId(GROUP, QoS.AT_MOST_ONCE, 1)));
        a.routes.refuse(new IllegalStateException("too much waits"));

        assertThat(a.subscriptions.subscribe(dashboard(1), 0, List.of(withId(GROUP, QoS.EXACTLY_ONCE, 2))))
                .isCompletedExceptionally();

        assertThat(a.subscriptions.of(dashboard(1))).containsExactly(withId(GROUP, QoS.AT_MOST_ONCE, 1));
    }

    @Test
    void removesTheRouteLaterWhenItsRemovalIsRefused() {
        a.subscribe(dashboard(1), "t");
        a.routes.refuse(new IllegalStateException("too much waits"));
        assertThat(a.unsubscribe(dashboard(1), "t")).isCompletedWithValue(List.of(true));
        sweep(a, false);
        assertThat(b.nodes("t")).containsExactly("a#1");
        a.routes.refuse(null);

        sweep(a, false);

        assertThat(routes.stored()).isEmpty();
    }

    @Test
    void keepsTheRouteWhenSomebodyCameAfterTheRefusedRemoval() {
        a.subscribe(dashboard(1), "t");
        a.routes.refuse(new IllegalStateException("too much waits"));
        a.subscriptions.end(dashboard(1));
        a.routes.refuse(null);
        a.subscribe(dashboard(2), "t");

        sweep(a, false);

        assertThat(b.nodes("t")).containsExactly("a#1");
    }

    @Test
    void leavesNothingWhenTheSessionEndsBeforeItsSubscriptionIsMade() {
        a.subscribe(dashboard(1), "before");
        a.subscribe(dashboard(2), "before");
        b.routes.stopReading();
        CompletionStage<?> subscribed = a.subscribe(dashboard(1), "before", "t", GROUP);
        a.subscriptions.end(dashboard(1));
        b.routes.goOnReading();

        assertThat(subscribed).isDone();
        assertThat(a.receivers("t")).isEmpty();
        assertThat(a.subscriptions.group(GROUP)).isNull();
        assertThat(b.subscriptions.group(GROUP)).isNull();
        assertThat(b.nodes("t")).isEmpty();
        assertThat(b.nodes("before")).containsExactly("a#1"); // dashboard 2 has it still
        assertThat(a.subscriptions.sessionCount()).isEqualTo(1);
    }

    @Test
    void readsWhatWasToldBeforeItStarted() {
        a.subscribe(dashboard(1), "t", GROUP);
        Subscriber member = persistent("p");
        a.subscribe(member, GROUP);
        a.subscriptions.online(member);

        TestNode c = new TestNode("c#1", stored, routes);

        assertThat(c.nodes("t")).containsExactly("a#1");
        assertThat(c.online(GROUP)).containsExactlyInAnyOrder(new Subscriber("d1", false, 1, "a#1"), member);
    }

    @Test
    void choosesMembersOnOtherNodes() {
        a.subscriptions.subscribe(dashboard(1), 0, List.of(withId(GROUP, QoS.EXACTLY_ONCE, 7)));
        b.subscribe(new Subscriber("d1", false, 1), GROUP); // the same number on another node is another session

        assertThat(a.online(GROUP)).containsExactlyInAnyOrder(dashboard(1), new Subscriber("d1", false, 1, "b#1"));
        assertThat(b.online(GROUP)).containsExactlyInAnyOrder(dashboard(1), new Subscriber("d1", false, 1, "a#1"));
        assertThat(b.subscriptions.count().shared()).isEqualTo(1);
        Receiver remote = remoteMember(b);
        assertThat(remote).isNotNull();
        assertThat(remote.grant()).isEqualTo(new Grant(QoS.EXACTLY_ONCE, false, List.of(7)));

        a.subscriptions.subscribe(dashboard(1), 0, List.of(withId(GROUP, QoS.AT_MOST_ONCE, 8)));
        remote = remoteMember(b);
        assertThat(remote).isNotNull();
        assertThat(remote.grant()).isEqualTo(new Grant(QoS.AT_MOST_ONCE, false, List.of(8)));
    }

    @Test
    void tellsWhichPersistentMembersAcknowledgeNothing() {
        Subscriber stuck = persistent("stuck");
        Subscriber other = persistent("other");
        a.subscribe(stuck, GROUP);
        a.subscriptions.online(stuck);
        b.subscribe(other, GROUP);
        b.subscriptions.online(other);
        look(a, 4, Map.of(stuck, 7L));
        assertThat(a.online(GROUP)).containsExactly(other);
        assertThat(b.online(GROUP)).containsExactly(other);
        int changes = routes.changes();
        look(a, 4, Map.of(stuck, 7L));
        assertThat(routes.changes()).isEqualTo(changes);

        TestNode c = new TestNode("c#1", stored, routes);
        assertThat(c.online(GROUP)).containsExactly(other);
        b.subscriptions.offline(other); // better one that is stuck than one that is away
        assertThat(b.online(GROUP)).containsExactly(stuck);
        b.subscriptions.online(other);

        look(a, 1, Map.of(stuck, (4L << 32) + 3));
        assertThat(b.online(GROUP)).containsExactlyInAnyOrder(stuck, other);
        look(a, 4, Map.of(stuck, (4L << 32) + 3));
        assertThat(b.online(GROUP)).containsExactly(other);
        a.subscriptions.offline(stuck);
        a.subscriptions.online(stuck);
        assertThat(b.online(GROUP)).containsExactlyInAnyOrder(stuck, other);
    }

    private static void look(TestNode node, int times, Map<Subscriber, Long> flows) {
        for (int i = 0; i < times; i++) {
            node.subscriptions.lookForStuck(session -> flows.getOrDefault(session, -1L));
        }
    }

    @Test // [MQTT-3.10.4-2]
    void answersUnsubscribeOnlyWhenNoNodeChoosesTheMemberAnyMore() {
        a.subscribe(dashboard(1), GROUP);
        b.routes.stopReading();
        CompletionStage<?> unsubscribed = a.unsubscribe(dashboard(1), GROUP);
        assertThat(unsubscribed).isNotDone();

        b.routes.goOnReading();

        assertThat(unsubscribed).isCompleted();
        assertThat(b.subscriptions.group(GROUP)).isNull();
    }

    @Test
    void tellsWhichPersistentMembersAreConnectedAsLongAsTheyAreBoth() {
        Subscriber member = persistent("p");
        a.subscribe(member, "t");
        a.subscriptions.online(member);
        assertThat(routes.changes()).isZero();

        a.subscribe(member, GROUP);
        assertThat(b.online(GROUP)).containsExactly(member);
        a.subscribe(member, "$share/h/t");
        a.unsubscribe(member, GROUP);
        assertThat(b.online("$share/h/t")).containsExactly(member);
        a.unsubscribe(member, "$share/h/t");
        assertThat(routes.stored()).isEmpty();

        a.subscribe(member, GROUP);
        a.subscriptions.offline(member);
        assertThat(b.online(GROUP)).isEmpty();
        assertThat(routes.stored()).isEmpty();
    }

    @Test
    void countsConnectionsOfAPersistentMemberOnEachNode() {
        Subscriber member = persistent("p");
        a.subscribe(member, GROUP);
        a.subscriptions.online(member);
        b.subscriptions.online(member); // a takeover, whose two ends come in any order
        a.subscriptions.offline(member);
        assertThat(a.online(GROUP)).containsExactly(member);
        assertThat(b.online(GROUP)).containsExactly(member);

        b.subscriptions.offline(member);
        assertThat(a.online(GROUP)).isEmpty();
        assertThat(b.online(GROUP)).isEmpty();
    }

    @Test
    void tellsLaterThatAMemberIsConnectedWhenThatIsRefused() {
        Subscriber member = persistent("p");
        a.subscribe(member, GROUP);
        a.routes.refuse(new IllegalStateException("too much waits"));
        a.subscriptions.online(member);
        assertThat(b.online(GROUP)).isEmpty();
        a.routes.refuse(null);

        sweep(a, false);

        assertThat(b.online(GROUP)).containsExactly(member);
    }

    @Test
    void retractsTheConnectionOfASessionThatIsOver() {
        Subscriber member = persistent("p");
        a.subscribe(member, GROUP);
        a.subscriptions.online(member);

        a.subscriptions.end(member);
        a.subscriptions.offline(member);

        assertThat(routes.stored()).isEmpty();
        assertThat(b.subscriptions.group(GROUP)).isNull();
    }

    @Test
    void makesVoidAtOnceWhatADeadNodeHasTold() {
        Subscriber member = persistent("p");
        a.subscribe(dashboard(1), "t", GROUP);
        a.subscribe(member, GROUP);
        a.subscriptions.online(member);

        b.subscriptions.gone("a#1");

        assertThat(b.nodes("t")).isEmpty();
        assertThat(b.online(GROUP)).isEmpty();
        assertThat(routes.stored()).hasSize(3);
    }

    @Test
    void removesWhatADeadNodeHasLeftWhenItIsTheFirst() {
        a.subscribe(dashboard(1), "t", GROUP);
        a.routes.leave();
        b.subscriptions.gone("a#1");
        sweep(b, false, "a#1");
        assertThat(routes.stored()).hasSize(2);

        sweep(b, true, "a#1");

        assertThat(routes.stored()).isEmpty();
    }

    @Test
    void removesALateRecordOfADeadNode() {
        a.routes.stopWriting();
        a.subscribe(dashboard(1), "t");
        a.routes.leave();
        b.subscriptions.gone("a#1");
        a.routes.goOnWriting();
        assertThat(routes.stored()).hasSize(1);

        sweep(b, true, "a#1");

        assertThat(b.nodes("t")).isEmpty();
        assertThat(routes.stored()).isEmpty();
    }

    @Test
    void showsNothingThatADeadNodeWritesWhileItsRecordsAreRemoved() {
        a.subscribe(dashboard(1), "t");
        b.subscriptions.gone("a#1");
        a.subscribe(dashboard(1), "late");

        assertThat(b.nodes("late")).isEmpty();
        sweep(b, true, "a#1");
        assertThat(routes.stored()).isEmpty();
    }

    @Test
    void keepsTheRoutesOfANodeThatIsNotKnownToBeDead() {
        a.subscribe(dashboard(1), "t");

        sweep(b, true, "a#0", "c#1");

        assertThat(b.nodes("t")).containsExactly("a#1");
        assertThat(routes.stored()).hasSize(1);
    }

    @Test
    void removesALimitedNumberInEachSweepAndNothingTwice() {
        a.subscribe(
                dashboard(1), IntStream.range(0, 100).mapToObj(i -> "t/" + i).toArray(String[]::new));
        for (int i = 0; i < 15; i++) {
            int client = 2 + i;
            a.subscribe(
                    dashboard(client),
                    IntStream.range(0, 100).mapToObj(t -> client + "/" + t).toArray(String[]::new));
        }
        a.routes.leave();
        b.subscriptions.gone("a#1");
        sweep(b, true);
        assertThat(routes.stored()).hasSize(600);

        b.routes.stopReading();
        int before = routes.changes();
        sweep(b, true);
        sweep(b, true);
        assertThat(routes.changes()).isEqualTo(before + 600);
        b.routes.goOnReading();
        sweep(b, true);
        assertThat(routes.changes()).isEqualTo(before + 600);
    }

    @Test
    void acceptsNoMoreRoutesWhenTooManyWaitToBeRemoved() {
        OwnRoutes own = new OwnRoutes(a.routes);
        List<String> keys = IntStream.range(0, OwnRoutes.MOST_UNSETTLED)
                .mapToObj(i -> "a#1\0r\0" + i)
                .toList();
        keys.forEach(key -> assertThat(own.hold(key, new byte[] {1})).isCompleted());
        a.routes.refuse(new IllegalStateException("too much waits"));
        keys.forEach(key -> assertThat(own.release(key)).isCompletedExceptionally());
        a.routes.refuse(null);

        assertThat(own.hold("a#1\0r\0more", new byte[] {1})).isCompletedExceptionally();
        own.retry(1);
        assertThat(own.hold("a#1\0r\0more", new byte[] {1})).isCompleted();
        own.retry(OwnRoutes.MOST_UNSETTLED);
        assertThat(routes.stored()).containsOnlyKeys("a#1\0r\0more");
    }

    @Test
    void removesWhatWasRefusedInALaterSweep() {
        a.subscribe(dashboard(1), "t");
        b.subscriptions.gone("a#1");
        b.routes.refuse(new IllegalStateException("too much waits"));
        sweep(b, true);
        b.routes.refuse(null);

        sweep(b, true);

        assertThat(routes.stored()).isEmpty();
    }

    @Test
    void ignoresARecordThatItCannotReadAndRemovesItWhenItsNodeIsDead() {
        byte[] newer = RouteCodec.value(new Route("c#1", "t"), RecordFormat.NEWEST);
        newer[0] = RecordFormat.NEWEST + 1;
        a.routes.put(RouteCodec.key(new Route("c#1", "t")), newer);
        a.routes.put(RouteCodec.key(new Presence("c#1", "p", 1, false)), new byte[0]);
        assertThat(b.nodes("t")).isEmpty();
        assertThat(b.format.isTooOld()).isTrue();
        assertThat(b.format.unreadRecord()).isEqualTo("route c#1 r t");

        sweep(b, true, "c#1");

        assertThat(routes.stored()).isEmpty();
        assertThat(b.format.isTooOld()).isFalse();
    }

    @Test
    void knowsAgainWhatAllKnowWhenARecordOfANewerFormatIsReplaced() {
        String key = RouteCodec.key(new Route("c#1", "t"));
        a.routes.put(key, new byte[] {RecordFormat.NEWEST + 1});
        assertThat(b.format.isTooOld()).isTrue();
        a.routes.put(key, RouteCodec.value(new Route("c#1", "t"), RecordFormat.NEWEST));
        assertThat(b.format.isTooOld()).isFalse();
        assertThat(b.nodes("t")).containsExactly("c#1");
        a.routes.put(key, new byte[] {RecordFormat.NEWEST + 1});
        assertThat(b.format.isTooOld()).isTrue();
        assertThat(b.nodes("t")).isEmpty();
        a.routes.remove(key);
        assertThat(b.format.isTooOld()).isFalse();
    }

    @Test
    void writesRoutesInTheFormatThatAllRead() {
        a.subscribe(dashboard(1), "t");
        a.format.raise(2);
        a.subscribe(dashboard(2), "u");
        assertThat(routes.stored().get("a#1\0r\0t")).startsWith(1);
        assertThat(routes.stored().get("a#1\0r\0u")).startsWith(2);
    }

    @Test
    void tellsNobodyWhenThereIsNobody() {
        Subscriptions alone = new Subscriptions(
                stored.node(), Routes.NONE, SubscriptionLimits.defaults(), SharedChoice.DEFAULT, _ -> 0, 1, _ -> 0);
        alone.start().toCompletableFuture().join();

        assertThat(alone.subscribe(dashboard(1), 0, List.of(Requests.request("t"))))
                .isCompleted();
        alone.sweep(_ -> true, true);
        alone.gone("a#1");

        assertThat(alone.match("t").receivers()).hasSize(1);
        assertThat(alone.match("t").nodes()).isEmpty();
    }

    private static @Nullable Receiver remoteMember(TestNode node) {
        SharedGroup group = node.subscriptions.group(GROUP);
        assertThat(group).isNotNull();
        return group.pickOnline("p", "t", each -> each.subscriber().node() != null);
    }

    private static void sweep(TestNode node, boolean isFirst, String... dead) {
        node.subscriptions.sweep(List.of(dead)::contains, isFirst);
    }

    private static Subscriber dashboard(int number) {
        return new Subscriber("d" + number, false, number);
    }

    private static Subscriber persistent(String clientId) {
        return new Subscriber(clientId, true, 500);
    }
}
