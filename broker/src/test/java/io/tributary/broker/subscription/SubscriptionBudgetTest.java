package io.tributary.broker.subscription;

import static io.tributary.broker.subscription.SubscriptionRequest.Outcome.CREATED;
import static io.tributary.broker.subscription.SubscriptionRequest.Outcome.NODE_QUOTA_EXCEEDED;
import static io.tributary.broker.subscription.SubscriptionRequest.Outcome.REPLACED;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tributary.broker.fake.InMemoryReplicatedMap;
import io.tributary.broker.fake.SharedReplicatedMap;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.subscription.SubscriptionRequest.Outcome;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.TenantNames;
import io.tributary.common.topic.TopicFilter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What all subscriptions of a node may take; each of these topics takes the same, and there is room for ten. */
class SubscriptionBudgetTest {
    private static final int ROOM = 10;
    private static final long ONE = one(true);

    private final AtomicLong nanos = new AtomicLong();
    private final SharedReplicatedMap stored = new SharedReplicatedMap();
    private final SharedReplicatedMap routes = new SharedReplicatedMap();
    private InMemoryReplicatedMap map = new InMemoryReplicatedMap();
    private Subscriptions subscriptions = open(ROOM * ONE);

    private Subscriptions open(long maxSize) {
        Subscriptions opened = new Subscriptions(
                map,
                Routes.NONE,
                limits(maxSize),
                SharedChoice.DEFAULT,
                _ -> 0,
                1,
                _ -> 0,
                Authorizer.allowAll(),
                nanos::get);
        opened.start().toCompletableFuture().join();
        return opened;
    }

    private static long one(boolean persistent) {
        return SubscriptionBudget.cost(session("s", persistent), TopicFilter.parse("0"));
    }

    private static SubscriptionLimits limits(long maxSize) {
        return SubscriptionLimits.builder().maxSize(maxSize).build();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void newSubscriptionIsRefusedWhenOthersHaveTakenAllAndThereIsRoomWhenOneIsRemoved(boolean persistent) {
        subscriptions = open(ROOM * one(persistent));
        assertThat(subscribe(session("a", persistent), 0, 5)).containsOnly(CREATED);
        assertThat(subscribe(session("b", persistent), 0, 4)).containsOnly(CREATED);
        assertThat(subscribe(session("c", persistent), 0, 2)).containsExactly(CREATED, NODE_QUOTA_EXCEEDED);
        assertThat(subscriptions.of(session("c", persistent))).hasSize(1);
        assertThat(subscribe(session("d", !persistent), 0, 1)).containsExactly(NODE_QUOTA_EXCEEDED);
        assertThat(subscribe(session("a", persistent), 0, 5)).containsOnly(REPLACED);

        unsubscribe(session("a", persistent), "4");
        assertThat(subscribe(session("e", persistent), 0, 2)).containsExactly(CREATED, NODE_QUOTA_EXCEEDED);
        assertThat(subscriptions.sizeBytes()).isEqualTo(ROOM * one(persistent));
    }

    @Test
    void levelsCountOnceThatSeveralFiltersBeginWith() {
        long one = SubscriptionBudget.cost(session("a", true), TopicFilter.parse("a/b/+"));
        subscribe(session("a", true), "a/b/+");
        long first = subscriptions.sizeBytes();
        assertThat(first).isGreaterThan(one);
        subscribe(session("b", true), "a/b/+");
        assertThat(subscriptions.sizeBytes()).isEqualTo(first + one);

        unsubscribe(session("a", true), "a/b/+");
        assertThat(subscriptions.sizeBytes()).isEqualTo(first);
        unsubscribe(session("b", true), "a/b/+");
        assertThat(subscriptions.sizeBytes()).isZero();
    }

    @Test
    void filterIsRefusedWhoseLevelsHaveNoRoom() {
        assertThat(subscribe(session("a", true), "/a".repeat(50) + "/+")).isEqualTo(NODE_QUOTA_EXCEEDED);
        assertThat(subscriptions.sizeBytes()).isZero();
        assertThat(subscribe(session("a", true), "a/+")).isEqualTo(CREATED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingIsTakenAnyMoreWhenSessionsAreOver(boolean persistent) {
        for (String filter : List.of("0/+", "0", "$share/g/0", "$share/g/0/+")) {
            subscribe(session("a", persistent), filter);
            subscribe(session("b", persistent), filter);
        }
        assertThat(subscriptions.sizeBytes()).isPositive();
        subscriptions.end(session("a", persistent));
        subscriptions.end(session("b", persistent));
        assertThat(subscriptions.sizeBytes()).isZero();
    }

    @Test
    void sessionThatTakesThePlaceOfAnotherOfItsClientGivesBackWhatThatHad() {
        subscribe(session("a", true), 0, 5);
        Subscriber next = new Subscriber("a", true, 200);
        assertThat(subscribe(next, 0, 3)).containsOnly(CREATED);
        assertThat(subscriptions.sizeBytes()).isEqualTo(3 * ONE);
    }

    @Test
    void twoChangesAtOnceDoNotTakeMoreThanThereIs() {
        map.hold();
        CompletableFuture<List<Outcome>> first = subscribing(session("a", true), 0, 6);
        CompletableFuture<List<Outcome>> second = subscribing(session("b", true), 0, 6);
        CompletableFuture<List<Outcome>> third = subscribing(session("a", true), 0, 7);
        map.release();
        assertThat(first.join()).containsOnly(CREATED);
        assertThat(second.join().subList(0, 4)).containsOnly(CREATED);
        assertThat(second.join().subList(4, 6)).containsOnly(NODE_QUOTA_EXCEEDED);
        assertThat(third.join()).endsWith(REPLACED, NODE_QUOTA_EXCEEDED);
        assertThat(subscriptions.sizeBytes()).isEqualTo(ROOM * ONE);
    }

    @Test
    void changeThatCannotBeWrittenGivesItsRoomBack() {
        map.failWith(new IllegalStateException("Kafka is away"));
        assertThat(subscribing(session("a", true), 0, ROOM)).isCompletedExceptionally();
        assertThat(subscriptions.sizeBytes()).isZero();

        map.failWith(null);
        assertThat(subscribe(session("b", true), 0, ROOM)).containsOnly(CREATED);
    }

    @Test
    void changeThatOtherNodesCannotBeToldOfGivesItsRoomBack() {
        SharedReplicatedMap.Node node = routes.node();
        subscriptions = node("a#1", node, ROOM * ONE);
        node.refuse(new IllegalStateException("Kafka is away"));
        assertThat(subscribing(session("a", false), 0, ROOM)).isCompletedExceptionally();
        assertThat(subscriptions.sizeBytes()).isZero();
    }

    @Test
    void changeThatIsNotMadeGivesItsRoomBack() {
        subscribe(session("a", true), 0, 1);
        map.hold();
        subscriptions.end(session("a", true));
        CompletableFuture<?> late = subscribing(session("a", true), 1, 2);
        map.release();
        assertThat(late).isDone();
        assertThat(subscriptions.sizeBytes()).isZero();
    }

    @Test
    void whatThereWasIsLoadedWhenThereIsLessRoomNowAndOnlyNewOnesAreRefused() {
        subscribe(session("a", true), 0, 5);
        subscribe(session("b", true), 0, 5);
        map = map.reopen();
        subscriptions = open(8 * ONE);

        assertThat(subscriptions.persistentCount().plain()).isEqualTo(10);
        assertThat(subscriptions.sizeBytes()).isEqualTo(10 * ONE);
        assertThat(subscribe(session("a", true), 0, 6)).endsWith(REPLACED, NODE_QUOTA_EXCEEDED);
        subscriptions.end(session("a", true));
        assertThat(subscribe(session("b", true), 5, 9)).containsExactly(CREATED, CREATED, CREATED, NODE_QUOTA_EXCEEDED);
    }

    @Test
    void whatOtherNodesGrantedCountsAndIsNotRefused() {
        subscriptions = node("a#1", routes.node(), ROOM * ONE);
        Subscriptions other = node("b#1", routes.node(), 100 * ONE);
        assertThat(subscribe(session("a", true), 0, ROOM)).containsOnly(CREATED);

        for (String filter : List.of("0", "0/+", "$share/g/0/+")) {
            long before = subscriptions.sizeBytes();
            subscribe(other, session("t", false), filter);
            assertThat(subscriptions.sizeBytes()).as(filter).isGreaterThan(before);
        }
        long before = subscriptions.sizeBytes();
        subscribe(other, session("u", false), "0/+"); // the route is there
        assertThat(subscriptions.sizeBytes()).isEqualTo(before);
        subscribe(other, session("p", true), "0");
        assertThat(subscriptions.sizeBytes()).isEqualTo(before + ONE);
        assertThat(subscribe(session("b", true), 0, 1)).containsOnly(NODE_QUOTA_EXCEEDED);

        other.end(session("u", false));
        other.end(session("p", true));
        assertThat(subscriptions.sizeBytes()).isEqualTo(before);
        subscriptions.gone("b#1");
        assertThat(subscriptions.sizeBytes()).isEqualTo(ROOM * ONE);
    }

    @Test
    void brokerAndItsApplicationAndApplicationsTogetherAreNotRefused() {
        subscribe(session("a", true), 0, ROOM);
        String shared = "$share/g/0/+";
        Subscriber group = new Subscriber(GroupIdentifier.of(shared), true, 8, null, ClientKind.APPLICATION, null);
        assertThat(subscribe(Subscriber.inProcess(-1), "1")).isEqualTo(CREATED);
        assertThat(subscribe(session(TenantNames.clientId(TenantNames.BROKER, "canary"), true), "1"))
                .isEqualTo(CREATED);
        assertThat(subscribe(group, shared)).isEqualTo(CREATED);
        assertThat(subscriptions.sizeBytes()).isGreaterThan((ROOM + 3) * ONE);
        assertThat(subscribe(session("b", true), "1")).isEqualTo(NODE_QUOTA_EXCEEDED);
    }

    @Test
    void logSaysOnceAMinuteThatThereIsNoRoom() {
        subscribe(session("a", true), 0, ROOM);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger("io.tributary.broker.subscription");
        logger.addAppender(log);
        try {
            subscribe(session("b", true), 0, 3);
            assertThat(log.list)
                    .singleElement()
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .asString()
                    .startsWith("a subscription of b is refused: ")
                    .contains(" %d of %d bytes ".formatted(ROOM * ONE, ROOM * ONE), "tributary.subscriptions.max-size");

            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            subscribe(session("c", false), 0, 1);
            assertThat(log.list)
                    .hasSize(2)
                    .last()
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .asString()
                    .startsWith("a subscription of c is refused (and 2 more since the last such line): ");
        } finally {
            logger.detachAppender(log);
        }
    }

    private static Subscriber session(String clientId, boolean persistent) {
        return new Subscriber(clientId, persistent, 100);
    }

    private Subscriptions node(String name, SharedReplicatedMap.Node told, long maxSize) {
        Subscriptions opened = new Subscriptions(
                stored.node(),
                new Routes(told, name, RecordFormat.alone()),
                limits(maxSize),
                SharedChoice.DEFAULT,
                _ -> 0,
                1,
                _ -> 0);
        opened.start().toCompletableFuture().join();
        return opened;
    }

    /** Subscribes to the topics that are these numbers, without the last. */
    private List<Outcome> subscribe(Subscriber subscriber, int first, int last) {
        return subscribing(subscriber, first, last).join();
    }

    private CompletableFuture<List<Outcome>> subscribing(Subscriber subscriber, int first, int last) {
        List<SubscriptionRequest> requests = Stream.iterate(first, i -> i < last, i -> i + 1)
                .map(i -> Requests.request(Integer.toHexString(i)))
                .toList();
        return subscriptions.subscribe(subscriber, 0, requests).toCompletableFuture();
    }

    private Outcome subscribe(Subscriber subscriber, String filter) {
        return subscribe(subscriptions, subscriber, filter);
    }

    private static Outcome subscribe(Subscriptions at, Subscriber subscriber, String filter) {
        return join(at.subscribe(subscriber, 0, List.of(Requests.request(filter))))
                .getFirst();
    }

    private void unsubscribe(Subscriber subscriber, String filter) {
        join(subscriptions.unsubscribe(subscriber, 0, List.of(TopicFilter.parse(filter))));
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
