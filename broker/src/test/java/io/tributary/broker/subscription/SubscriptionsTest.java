package io.tributary.broker.subscription;

import static io.tributary.broker.subscription.Requests.request;
import static io.tributary.broker.subscription.Requests.withId;
import static io.tributary.broker.subscription.SubscriptionRequest.Outcome.CREATED;
import static io.tributary.broker.subscription.SubscriptionRequest.Outcome.QUOTA_EXCEEDED;
import static io.tributary.broker.subscription.SubscriptionRequest.Outcome.REPLACED;
import static io.tributary.broker.subscription.SubscriptionRequest.Outcome.TENANT_QUOTA_EXCEEDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.fake.InMemoryReplicatedMap;
import io.tributary.broker.subscription.SubscriptionRequest.Outcome;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.TenantNames;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SubscriptionsTest {
    private static final Subscriber PERSISTENT = new Subscriber("p", true, 100);
    private static final Subscriber TRANSIENT = new Subscriber("t", false, 3);

    private InMemoryReplicatedMap map = new InMemoryReplicatedMap();
    private Subscriptions subscriptions = open();

    static Stream<Subscriber> bothKinds() {
        return Stream.of(PERSISTENT, TRANSIENT);
    }

    @BeforeEach
    void start() {
        join(subscriptions.start());
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    void matchesFromTheCompletionOfTheStageOn(Subscriber subscriber) {
        assertThat(subscribe(subscriber, request("a/+"), request("b"))).containsExactly(CREATED, CREATED);

        assertThat(receivers("a/x")).containsExactly(subscriber);
        assertThat(receivers("b")).containsExactly(subscriber);
        assertThat(receivers("c")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("bothKinds") // [MQTT-3.8.4-3]
    void replacesASubscriptionWithTheSameFilter(Subscriber subscriber) {
        subscribe(subscriber, withId("a", QoS.AT_MOST_ONCE, 1));

        assertThat(subscribe(subscriber, withId("a", QoS.EXACTLY_ONCE, 2))).containsExactly(REPLACED);

        Receiver receiver = subscriptions.match("a").receivers().getFirst();
        assertThat(receiver.grant()).isEqualTo(new Grant(QoS.EXACTLY_ONCE, false, List.of(2)));
        assertThat(subscriptions.count().plain()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    void refusesMoreThanTheLimitButStillReplaces(Subscriber subscriber) {
        assertThat(subscribe(subscriber, request("1"), request("2"), request("3"), request("4"), request("1")))
                .containsExactly(CREATED, CREATED, CREATED, QUOTA_EXCEEDED, REPLACED);
        assertThat(receivers("4")).isEmpty();

        unsubscribe(subscriber, "2");
        assertThat(subscribe(subscriber, request("4"))).containsExactly(CREATED);
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    void filterThatIsTooLongIsRefusedAndTheOthersStand(Subscriber subscriber) {
        String longest = "a".repeat(64);
        assertThat(subscribe(
                        subscriber,
                        request(longest),
                        request(longest + "b"),
                        request("$share/g/" + longest),
                        request("\u20AC".repeat(22))))
                .containsExactly(CREATED, QUOTA_EXCEEDED, QUOTA_EXCEEDED, QUOTA_EXCEEDED);
        assertThat(receivers(longest)).hasSize(1);
        assertThat(receivers(longest + "b")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    void tellsForEachFilterWhetherItExisted(Subscriber subscriber) {
        subscribe(subscriber, request("a"), request("$share/g/a"));

        assertThat(unsubscribe(subscriber, "a", "b", "$share/g/a", "$share/h/a"))
                .containsExactly(true, false, true, false);
        assertThat(subscriptions.match("a").size()).isZero();
        assertThat(subscriptions.sessionCount()).isZero();
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    void forgetsASessionThatEnds(Subscriber subscriber) {
        subscribe(subscriber, request("a"), request("$share/g/b"));

        subscriptions.end(subscriber);
        subscriptions.end(subscriber);

        assertThat(subscriptions.match("a").size()).isZero();
        assertThat(subscriptions.match("b").size()).isZero();
        assertThat(subscriptions.of(subscriber)).isEmpty();
        assertThat(subscriptions.count()).isEqualTo(new SubscriptionCount(0, 0));
        assertThat(map.size()).isZero();
    }

    @Test
    void mergesOverlappingSubscriptionsOfASession() {
        subscribe(PERSISTENT, withId("a/+", QoS.AT_MOST_ONCE, 1), withId("a/b", QoS.AT_LEAST_ONCE, 2));
        subscribe(TRANSIENT, request("#"));

        assertThat(receivers("a/b")).containsExactlyInAnyOrder(PERSISTENT, TRANSIENT);
        Receiver receiver = subscriptions.match("a/b").receivers().stream()
                .filter(each -> each.subscriber().equals(PERSISTENT))
                .findFirst()
                .orElseThrow();
        assertThat(receiver.grant().qos()).isEqualTo(QoS.AT_LEAST_ONCE);
        assertThat(receiver.grant().subscriptionIds()).containsExactlyInAnyOrder(1, 2);
    }

    @Test
    void loadsPersistentSubscriptionsAfterARestart() {
        subscribe(PERSISTENT, request("a"), request("$share/g/s"));
        subscribe(TRANSIENT, request("a"));

        restart();

        assertThat(receivers("a")).containsExactly(PERSISTENT);
        assertThat(subscriptions.match("s").groups())
                .extracting(SharedGroup::name)
                .containsExactly("$share/g/s");
        assertThat(subscriptions.of(PERSISTENT)).containsExactlyInAnyOrder(request("a"), request("$share/g/s"));
        assertThat(subscriptions.persistentClients(0)).containsExactly(PERSISTENT);
        assertThat(subscriptions.sessionCount()).isEqualTo(1);
    }

    @Test
    void namesTheClientsOfOneShardOnly() {
        Subscriber elsewhere = new Subscriber("other", true, 7);
        subscribe(PERSISTENT, request("a"));
        subscribe(elsewhere, request("a"));
        assertThat(subscriptions.persistentClients(0)).containsExactly(PERSISTENT);
        assertThat(subscriptions.persistentClients(1)).containsExactly(elsewhere);
    }

    @Test
    void doesNotStartWhenARecordCannotBeRead() {
        map.changeFromElsewhere("p", new byte[] {99});
        map = map.reopen();
        subscriptions = open();

        assertThatThrownBy(() -> join(subscriptions.start())).hasCauseInstanceOf(UnreadableRecordException.class);
    }

    @Test
    void completesOnlyWhenTheWriteIsDone() {
        map.hold();
        CompletableFuture<List<Outcome>> subscribed =
                future(subscriptions.subscribe(PERSISTENT, 0, List.of(request("a"))));
        assertThat(subscribed).isNotDone();

        map.release();

        assertThat(subscribed).isCompletedWithValue(List.of(CREATED));
        assertThat(receivers("a")).containsExactly(PERSISTENT);
    }

    @Test
    void buildsOnChangesThatAreNotWrittenYet() {
        map.hold();
        CompletableFuture<List<Outcome>> first = future(subscriptions.subscribe(PERSISTENT, 0, List.of(request("a"))));
        CompletableFuture<List<Outcome>> second = future(subscriptions.subscribe(PERSISTENT, 0, List.of(request("b"))));
        CompletableFuture<List<Boolean>> third =
                future(subscriptions.unsubscribe(PERSISTENT, 0, List.of(TopicFilter.parse("a"))));
        map.releaseOne();
        assertThat(first).isDone();
        assertThat(second).isNotDone();
        CompletableFuture<List<Outcome>> fourth = future(subscriptions.subscribe(PERSISTENT, 0, List.of(request("c"))));
        map.release();

        assertThat(third).isCompletedWithValue(List.of(true));
        assertThat(fourth).isCompletedWithValue(List.of(CREATED));
        assertThat(subscriptions.of(PERSISTENT)).containsExactlyInAnyOrder(request("b"), request("c"));
    }

    @Test
    void doesNotWriteAgainWhatIsAlreadyThere() {
        subscribe(PERSISTENT, request("a"));
        subscribe(PERSISTENT, request("a"));
        unsubscribe(PERSISTENT, "x");
        assertThat(map.written()).containsExactly("p");

        map.hold();
        subscriptions.subscribe(PERSISTENT, 0, List.of(request("b")));
        CompletableFuture<List<Outcome>> same = future(subscriptions.subscribe(PERSISTENT, 0, List.of(request("b"))));
        assertThat(same).isNotDone();
        assertThat(map.written()).hasSize(2);
        map.release();
        assertThat(same).isCompletedWithValue(List.of(REPLACED));
    }

    @Test
    void failsWhenTheMapDoes() {
        map.failWith(new IllegalStateException("disk is gone"));

        assertThat(future(subscriptions.subscribe(PERSISTENT, 0, List.of(request("a")))))
                .isCompletedExceptionally();
        assertThat(receivers("a")).isEmpty();
    }

    @Test
    void newSessionOfAClientDoesNotSeeTheOldSubscriptions() {
        Subscriber newer = new Subscriber("p", true, 200);
        subscribe(PERSISTENT, request("old"), request("both"));

        assertThat(subscribe(newer, request("both"))).containsExactly(CREATED);

        assertThat(receivers("old")).isEmpty();
        assertThat(receivers("both")).containsExactly(newer);
        assertThat(subscriptions.of(PERSISTENT)).isEmpty();
    }

    @Test
    void endOfAnOldSessionLeavesTheNewerOneAlone() {
        Subscriber newer = new Subscriber("p", true, 200);
        subscribe(newer, request("a"));

        subscriptions.end(PERSISTENT);
        assertThat(subscriptions.subscribe(PERSISTENT, 1, List.of(request("late")), Long.MAX_VALUE))
                .as("the client is not to take it for made")
                .isCompletedExceptionally();

        assertThat(receivers("a")).containsExactly(newer);
        assertThat(receivers("late")).isEmpty();
        assertThat(subscriptions.persistentClients(0)).containsExactly(newer);
    }

    @Test
    void tellsWhoseSubscriptionsHaveChanged() {
        List<Subscriber> changed = new ArrayList<>();
        subscriptions.watch(changed::add);

        subscribe(PERSISTENT, request("a"));
        assertThat(changed).containsExactly(PERSISTENT);

        subscriptions.end(PERSISTENT);
        assertThat(changed).containsExactly(PERSISTENT);
    }

    @Test
    void endOfANewerSessionRemovesWhatAnOlderOneLeft() {
        subscribe(PERSISTENT, request("a"));

        subscriptions.end(new Subscriber("p", true, 200));

        assertThat(subscriptions.persistentClients(0)).isEmpty();
        assertThat(map.size()).isZero();
    }

    @Test
    void transientAndPersistentSessionsOfOneClientAreIndependent() {
        Subscriber other = new Subscriber("p", false, 9);
        subscribe(PERSISTENT, request("a"));
        subscribe(other, request("a"));
        assertThat(receivers("a")).containsExactlyInAnyOrder(PERSISTENT, other);

        subscriptions.end(PERSISTENT);

        assertThat(receivers("a")).containsExactly(other);
    }

    @Test
    void followsTheChangesOfOtherNodes() {
        SessionSubscriptions elsewhere = SessionSubscriptions.none(5)
                .subscribe(
                        List.of(request("a"), request("b")), SubscriptionLimits.defaults(), Long.MAX_VALUE, _ -> true)
                .after();
        map.changeFromElsewhere("x", SubscriptionsCodec.encode("x", elsewhere, RecordFormat.NEWEST));
        assertThat(receivers("a")).containsExactly(new Subscriber("x", true, 5));

        SessionSubscriptions later = SessionSubscriptions.none(6)
                .subscribe(List.of(request("b")), SubscriptionLimits.defaults(), Long.MAX_VALUE, _ -> true)
                .after();
        map.changeFromElsewhere("x", SubscriptionsCodec.encode("x", later, RecordFormat.NEWEST));
        assertThat(receivers("a")).isEmpty();
        assertThat(receivers("b")).containsExactly(new Subscriber("x", true, 6));

        map.changeFromElsewhere(
                "x", SubscriptionsCodec.encode("x", elsewhere, RecordFormat.NEWEST)); // a paused node's late record
        assertThat(receivers("b")).containsExactly(new Subscriber("x", true, 6));

        map.changeFromElsewhere("x", SubscriptionsCodec.encode("x", SessionSubscriptions.over(6), RecordFormat.NEWEST));
        assertThat(receivers("b")).isEmpty();
    }

    @Test
    void sharedSubscriptionChoosesMembersThatAreOnline() {
        Subscriber other = new Subscriber("q", true, 101);
        subscribe(PERSISTENT, request("$share/g/a"));
        subscribe(other, request("$share/g/a"));
        subscriptions.online(other);

        SharedGroup group = subscriptions.group("$share/g/a");
        assertThat(group).isNotNull();
        for (int i = 0; i < 5; i++) {
            Receiver picked = group.pick("x", "a", receiver -> true);
            assertThat(picked).isNotNull();
            assertThat(picked.subscriber()).isEqualTo(other);
        }
        subscriptions.offline(other);
        assertThat(group.pickOnline("x", "a", receiver -> true)).isNull();
        assertThat(subscriptions.count().shared()).isEqualTo(2);
        assertThat(subscriptions.group("$share/unknown/a")).isNull();
    }

    @Test
    void transientMembersAreAlwaysOnline() {
        subscribe(TRANSIENT, request("$share/g/a"));
        subscriptions.online(TRANSIENT);
        subscriptions.offline(TRANSIENT);

        SharedGroup group = subscriptions.group("$share/g/a");
        assertThat(group).isNotNull();
        assertThat(group.pickOnline("x", "a", receiver -> true)).isNotNull();
        assertThat(group.hasPersistentMember("t", 3)).isFalse();
    }

    @Test
    void losesNoChangeWhenManyClientsSubscribeAtOnce() throws Exception {
        List<Future<?>> done = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 400; i++) {
                Subscriber subscriber = new Subscriber("c" + i % 200, i % 2 == 0, i % 200);
                SubscriptionRequest request = request("x/" + i);
                done.add(threads.submit(() -> join(subscriptions.subscribe(subscriber, 0, List.of(request)))));
            }
            for (Future<?> each : done) {
                each.get();
            }
        }

        assertThat(subscriptions.count()).isEqualTo(new SubscriptionCount(400, 0));
        assertThat(subscriptions.persistentCount()).isEqualTo(new SubscriptionCount(200, 0));
        assertThat(subscriptions.transientCount()).isEqualTo(new SubscriptionCount(200, 0));
        for (int i = 0; i < 400; i++) {
            assertThat(receivers("x/" + i)).hasSize(1);
        }
    }

    @Test
    void applicationsShareApartUntilTheirSessionsEnd() {
        start();
        Subscriber application = new Subscriber("app", true, 7, null, ClientKind.APPLICATION, null);
        subscribe(application, request("$share/g/a"));
        assertThat(subscriptions.match("a").groups()).isEmpty();
        assertThat(subscriptions.applications().find("$share/g/a")).isNotNull();
        assertThat(subscriptions.persistentCount()).isEqualTo(new SubscriptionCount(0, 1));
        subscriptions.end(application);
        assertThat(subscriptions.applications().find("$share/g/a")).isNull();
        assertThat(subscriptions.persistentCount()).isEqualTo(new SubscriptionCount(0, 0));
    }

    @Test
    void sessionThatApplicationsHaveTogetherIsFoundInTheirPlace() {
        start();
        Subscriber group =
                new Subscriber(GroupIdentifier.of("$share/g/a"), true, 8, null, ClientKind.APPLICATION, null);
        subscribe(group, request("$share/g/a"));
        assertThat(subscriptions.match("a").groups()).hasSize(1);
        assertThat(subscriptions.sessionOf("$share/g/a")).isEqualTo(group);
        assertThat(subscriptions.persistentCount()).isEqualTo(new SubscriptionCount(0, 0));
        subscriptions.end(group);
        assertThat(subscriptions.match("a").groups()).isEmpty();
        assertThat(subscriptions.sessionOf("$share/g/a")).isNull();
    }

    @Test
    void subscriptionsOfATenantAreCountedAndNoMoreAreMadeThanThereIsRoomFor() {
        Subscriber away = new Subscriber(TenantNames.clientId("acme", "p"), true, 100);
        Subscriber here = new Subscriber(TenantNames.clientId("acme", "t"), false, 3);
        assertThat(subscribe(away, 2, request("a"), request("$share/g/a"), request("b"), request("a")))
                .containsExactly(CREATED, CREATED, TENANT_QUOTA_EXCEEDED, REPLACED);
        assertThat(subscribe(here, 0, request("a"))).containsExactly(TENANT_QUOTA_EXCEEDED);
        assertThat(subscribe(here, -1, request("a"))).containsExactly(TENANT_QUOTA_EXCEEDED);
        assertThat(subscribe(here, 1, request("a"), request("b"))).containsExactly(CREATED, TENANT_QUOTA_EXCEEDED);
        subscribe(PERSISTENT, request("a"));
        assertThat(subscriptions.count("acme")).isEqualTo(3);
        assertThat(subscriptions.countByTenant(false)).isEqualTo(Map.of("acme", 1L));
        subscriptions.end(here);
        restart();
        assertThat(subscriptions.count("acme")).isEqualTo(2);
        unsubscribe(away, "$share/g/a");
        assertThat(subscriptions.count("acme")).isEqualTo(1);
        subscriptions.end(away);
        assertThat(subscriptions.countByTenant(true)).isEmpty();
        assertThat(subscriptions.countByTenant(false)).isEmpty();
    }

    private List<Outcome> subscribe(Subscriber subscriber, long room, SubscriptionRequest... requests) {
        return join(subscriptions.subscribe(subscriber, 0, List.of(requests), room));
    }

    private Subscriptions open() {
        return new Subscriptions(
                map,
                Routes.NONE,
                new SubscriptionLimits(3, 3, 1024, 64, 1 << 30, 128),
                SharedChoice.DEFAULT,
                session -> 0,
                2,
                clientId -> clientId.startsWith("other") ? 1 : 0);
    }

    private void restart() {
        map = map.reopen();
        subscriptions = open();
        start();
    }

    private List<Outcome> subscribe(Subscriber subscriber, SubscriptionRequest... requests) {
        return join(subscriptions.subscribe(subscriber, 0, List.of(requests)));
    }

    private List<Boolean> unsubscribe(Subscriber subscriber, String... filters) {
        return join(subscriptions.unsubscribe(
                subscriber, 0, Stream.of(filters).map(TopicFilter::parse).toList()));
    }

    private List<Subscriber> receivers(String topic) {
        return subscriptions.match(topic).receivers().stream()
                .map(Receiver::subscriber)
                .toList();
    }

    private static <T> CompletableFuture<T> future(CompletionStage<T> stage) {
        return stage.toCompletableFuture();
    }

    private static <T extends @Nullable Object> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
