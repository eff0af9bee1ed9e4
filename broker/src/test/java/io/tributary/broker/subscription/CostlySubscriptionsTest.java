package io.tributary.broker.subscription;

import static io.tributary.broker.subscription.SubscriptionRequest.Outcome.CREATED;
import static io.tributary.broker.subscription.SubscriptionRequest.Outcome.QUOTA_EXCEEDED;
import static io.tributary.broker.subscription.SubscriptionRequest.Outcome.REPLACED;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tributary.broker.fake.InMemoryReplicatedMap;
import io.tributary.broker.fake.SharedReplicatedMap;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.subscription.SubscriptionRequest.Outcome;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** What a client may have the broker write, keep and say by subscribing. */
class CostlySubscriptionsTest {
    private static final Subscriber PERSISTENT = new Subscriber("p", true, 100);
    private static final Subscriber TRANSIENT = new Subscriber("t", false, 3);
    private static final int MOST_CYCLES = 100;

    private final AtomicLong nanos = new AtomicLong();
    private InMemoryReplicatedMap map = new InMemoryReplicatedMap();
    private Subscriptions subscriptions = open(SubscriptionLimits.defaults());

    static Stream<Subscriber> bothKinds() {
        return Stream.of(PERSISTENT, TRANSIENT);
    }

    private Subscriptions open(SubscriptionLimits limits) {
        return open(limits, Routes.NONE);
    }

    private Subscriptions open(SubscriptionLimits limits, Routes routes) {
        Subscriptions opened = new Subscriptions(
                map, routes, limits, SharedChoice.DEFAULT, _ -> 0, 1, _ -> 0, Authorizer.allowAll(), nanos::get);
        opened.start().toCompletableFuture().join();
        return opened;
    }

    /** Also when it connects anew each time. */
    @Test
    void clientWithManyLongFiltersWritesNoMoreThanItsRate() {
        subscribe(PERSISTENT, IntStream.range(0, 250).mapToObj(i -> i + "x".repeat(1_000)));
        int changes = 0;
        for (long epoch = 1; epoch <= 1_000 && subscriptions.waitNanos(PERSISTENT) == 0; epoch++) {
            QoS qos = QoS.of((int) epoch % 2);
            SubscriptionRequest one = new SubscriptionRequest(TopicFilter.parse("a"), qos, false, false, 0);
            subscriptions
                    .subscribe(PERSISTENT, epoch, List.of(one))
                    .toCompletableFuture()
                    .join();
            changes++;
        }

        assertThat(changes).isBetween(10, 100);
        assertThat(map.writtenBytes()).isLessThan(WritePace.BYTES_AT_ONCE + (1 << 20));
        assertThat(subscriptions.waitNanos(new Subscriber("other", true, 100))).isZero();

        nanos.addAndGet(subscriptions.waitNanos(PERSISTENT));
        assertThat(subscriptions.waitNanos(PERSISTENT)).isZero();
        unsubscribe("a");
        assertThat(subscriptions.waitNanos(PERSISTENT)).isPositive();
    }

    /** Its subscriptions are not stored, but all nodes read where they are. */
    @Test
    void clientWithoutPersistentSessionHasOtherNodesToldNoMoreThanItsRate() {
        subscriptions = open(
                SubscriptionLimits.defaults(), new Routes(new SharedReplicatedMap().node(), "n", RecordFormat.alone()));
        assertThat(cyclesUntilItWaits()).isBetween(10, 60);
        assertThat(subscriptions.waitNanos(new Subscriber("other", false, 4))).isZero();
        subscriptions.end(TRANSIENT);
        assertThat(subscriptions.waitNanos(new Subscriber("t", false, 5))).isPositive();

        nanos.addAndGet(subscriptions.waitNanos(TRANSIENT));
        assertThat(subscriptions.waitNanos(TRANSIENT)).isZero();
    }

    @Test
    void clientWithoutPersistentSessionDoesNotWaitWhereNobodyIsTold() {
        assertThat(cyclesUntilItWaits()).isEqualTo(MOST_CYCLES);
    }

    /** How often a client subscribes to much and unsubscribes from it before it has to wait. */
    private int cyclesUntilItWaits() {
        List<String> filters = IntStream.range(0, 100)
                .mapToObj(i -> "+/" + i + "x".repeat(1_000))
                .toList();
        int cycles = 0;
        while (cycles < MOST_CYCLES && subscriptions.waitNanos(TRANSIENT) == 0) {
            subscribe(TRANSIENT, filters.stream());
            subscriptions
                    .unsubscribe(
                            TRANSIENT,
                            0,
                            filters.stream().map(TopicFilter::parse).toList())
                    .toCompletableFuture()
                    .join();
            cycles++;
        }
        return cycles;
    }

    @Test
    void clientsThatSubscribeHundredsOfTimesAtTheirStartDoNotWait() {
        for (int i = 0; i < 300; i++) {
            assertThat(subscriptions.waitNanos(PERSISTENT)).isZero();
            subscribe(PERSISTENT, Stream.of("a/filter/of/forty/characters/or/so/" + i));
        }
        long written = map.writtenBytes();
        for (int i = 0; i < 10_000; i++) {
            subscribe(PERSISTENT, Stream.of("a/filter/of/forty/characters/or/so/" + i % 300));
        }
        assertThat(map.writtenBytes()).isEqualTo(written);
        assertThat(subscriptions.waitNanos(PERSISTENT)).isZero();
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    void limitsSharedSubscriptionsOfOneClient(Subscriber subscriber) {
        subscriptions = open(new SubscriptionLimits(10, 2, 1024, 64, 1 << 30, 0));
        assertThat(subscribe(subscriber, Stream.of("$share/1/#", "$share/2/#", "$share/3/#", "#", "$share/1/#")))
                .containsExactly(CREATED, CREATED, QUOTA_EXCEEDED, CREATED, REPLACED);
        assertThat(subscribe(subscriber, Stream.of("$share/3/#"))).containsExactly(QUOTA_EXCEEDED);

        subscriptions
                .unsubscribe(subscriber, 0, List.of(TopicFilter.parse("$share/1/#")))
                .toCompletableFuture()
                .join();
        assertThat(subscribe(subscriber, Stream.of("$share/3/#"))).containsExactly(CREATED);
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    void limitsBytesOfOneClientsFilters(Subscriber subscriber) {
        subscriptions = open(new SubscriptionLimits(10, 10, 1024, 1024, 1 << 30, 0));
        String half = "x".repeat(512);
        assertThat(subscribe(subscriber, Stream.of(half, "ä".repeat(255), "aaa", "bb", "c", half)))
                .containsExactly(CREATED, CREATED, QUOTA_EXCEEDED, CREATED, QUOTA_EXCEEDED, REPLACED);
    }

    /** Each of these filters has 127 objects of its own in the tree of all nodes. */
    @ParameterizedTest
    @MethodSource("bothKinds")
    void limitsLevelsOfOneClientsFiltersWithWildcards(Subscriber subscriber) {
        subscriptions = open(SubscriptionLimits.defaults());
        String deep = "/a".repeat(126) + "/+";
        assertThat(subscribe(subscriber, IntStream.range(0, 1_000).mapToObj(i -> i + deep)))
                .filteredOn(CREATED::equals)
                .hasSizeBetween(50, 100);
    }

    @Test
    void countsBytesAsTheClientWroteThem() {
        subscriptions = open(new SubscriptionLimits(10, 10, 1024, 1024, 1 << 30, 0));
        Subscriber ofTenant = new Subscriber(TenantNames.clientId("acme", "p"), true, 100);
        TopicFilter all = TenantNames.filter("acme", TopicFilter.parse("$share/g/" + "x".repeat(1_015)));
        assertThat(subscriptions
                        .subscribe(ofTenant, 0, List.of(Requests.request(all.toString())))
                        .toCompletableFuture()
                        .join())
                .containsExactly(CREATED);
        TopicFilter more = TenantNames.filter("acme", TopicFilter.parse("a"));
        assertThat(subscriptions
                        .subscribe(ofTenant, 0, List.of(Requests.request(more.toString())))
                        .toCompletableFuture()
                        .join())
                .containsExactly(QUOTA_EXCEEDED);
    }

    @Test
    void keepsWhatThereWasBeforeTheLimitsWereLower() {
        Stream<String> filters = IntStream.range(0, 50).mapToObj(i -> "$share/" + i + "/" + "x".repeat(50));
        assertThat(subscribe(PERSISTENT, filters)).isEqualTo(Collections.nCopies(50, CREATED));
        map = map.reopen();
        subscriptions = open(new SubscriptionLimits(10, 2, 1024, 64, 1 << 30, 0));

        assertThat(subscribe(PERSISTENT, Stream.of("$share/7/" + "x".repeat(50), "a")))
                .containsExactly(REPLACED, QUOTA_EXCEEDED);
        subscriptions.resumed(PERSISTENT, 9).toCompletableFuture().join();
        unsubscribe("$share/8/" + "x".repeat(50));
        assertThat(subscriptions.of(PERSISTENT)).hasSize(49);
    }

    @Test
    void logSaysOnceAMinuteThatChangesCannotBeWritten() {
        SharedReplicatedMap.Node routes = new SharedReplicatedMap().node();
        subscriptions = open(SubscriptionLimits.defaults(), new Routes(routes, "n", RecordFormat.alone()));
        map.failWith(new IllegalStateException("Kafka is away"));
        routes.refuse(new IllegalStateException("Kafka is away"));
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger("io.tributary.broker.subscription");
        logger.addAppender(log);
        try {
            for (int i = 0; i < 100; i++) {
                fail(PERSISTENT);
                fail(TRANSIENT);
            }
            assertThat(log.list).singleElement().satisfies(line -> {
                assertThat(line.getFormattedMessage())
                        .isEqualTo(
                                "subscriptions of p could not be written: java.lang.IllegalStateException: Kafka is away");
                assertThat(line.getThrowableProxy()).isNull();
            });

            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            fail(TRANSIENT);
            assertThat(log.list)
                    .hasSize(2)
                    .last()
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .asString()
                    .startsWith("subscriptions of t could not be written (and 199 more since the last such line): ");
        } finally {
            logger.detachAppender(log);
        }
    }

    private void fail(Subscriber subscriber) {
        assertThat(subscriptions
                        .subscribe(subscriber, 0, List.of(Requests.request("a")))
                        .toCompletableFuture())
                .isCompletedExceptionally();
    }

    private List<Outcome> subscribe(Subscriber subscriber, Stream<String> filters) {
        return subscriptions
                .subscribe(subscriber, 0, filters.map(Requests::request).toList())
                .toCompletableFuture()
                .join();
    }

    private void unsubscribe(String filter) {
        subscriptions
                .unsubscribe(PERSISTENT, 1_000, List.of(TopicFilter.parse(filter)))
                .toCompletableFuture()
                .join();
    }
}
