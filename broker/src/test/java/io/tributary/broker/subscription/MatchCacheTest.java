package io.tributary.broker.subscription;

import static io.tributary.broker.subscription.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.Authorizer;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MatchCacheTest {
    private final List<String> computed = new ArrayList<>();
    private final MatchCache cache = new MatchCache(1000);

    @Test
    void computesOnceWhileNothingChanges() {
        get("a/b");
        get("a/b");

        assertThat(computed).containsExactly("a/b");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void neverAnswersFromBeforeAChangeOfAFilterThatMatches(long seed) {
        RandomTopics random = new RandomTopics(seed);
        for (int i = 0; i < 5_000; i++) {
            String topic = random.topic();
            String filter = random.filter();
            get(topic);
            cache.invalidate(filter);
            computed.clear();
            get(topic);
            if (TopicFilter.parseStored(filter).matches(topic)) {
                assertThat(computed).as("%s by %s", topic, filter).containsExactly(topic);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a/b/c/d, a/b/x",
        "a/b/c/d, a/x/+",
        "a/b/c/d, x/#",
        "a/b, a/b/c/#",
    })
    void keepsEntriesOfOtherBranches(String topic, String changedFilter) {
        get(topic);
        cache.invalidate(changedFilter);
        get(topic);

        assertThat(computed).hasSize(1);
    }

    @Test
    void computesAgainWhenTheChangeComesDuringTheComputation() {
        cache.get("a", topic -> {
            cache.invalidate("a");
            return Matches.NONE;
        });
        get("a");

        assertThat(computed).containsExactly("a");
    }

    @Test
    void keepsNeitherLongTopicsNorLongResults() {
        String longTopic = "t".repeat(300);
        get(longTopic);
        get(longTopic);
        assertThat(computed).hasSize(2);

        Receiver receiver = Receiver.of(new Subscriber("c", false, 1), request("a"));
        Matches many = new Matches(Collections.nCopies(65, receiver), List.of(), List.of());
        cache.get("many", topic -> many);
        get("many");
        assertThat(computed).hasSize(3);
    }

    /** Each entry has lists of its own, which would be many times the subscriptions. */
    @Test
    void keepsNoResultsWithManySubscriptionIdentifiers() {
        Subscriber subscriber = new Subscriber("c", false, 1);
        Grant grant = Grant.merge(Collections.nCopies(100, Grant.of(QoS.AT_LEAST_ONCE, false, 7)));
        Receiver receiver = new Receiver(subscriber, grant, null, null);
        cache.get("some", topic -> new Matches(Collections.nCopies(2, receiver), List.of(), List.of()));
        cache.get("many", topic -> new Matches(Collections.nCopies(3, receiver), List.of(), List.of()));
        get("some");
        get("many");
        assertThat(computed).containsExactly("many");
    }

    @Test
    void cachesNothingWithoutSlots() {
        MatchCache none = new MatchCache(0);
        none.get("a", this::compute);
        none.get("a", this::compute);
        none.invalidate("a");

        assertThat(computed).hasSize(2);
    }

    @Test
    void givesASlotToAnotherTopicInTheLongRun() {
        MatchCache single = new MatchCache(1);
        single.get("old", this::compute);
        for (int i = 0; i < 1_000; i++) {
            single.get("new", this::compute);
        }
        single.get("old", this::compute);

        assertThat(computed).startsWith("old", "new").endsWith("old").hasSizeBetween(3, 300);
    }

    @ParameterizedTest
    @ValueSource(longs = {7, 8})
    void indexAgreesWithTheObviousAlgorithmWhileItChanges(long seed) {
        SharedGroups groups = new SharedGroups(SharedChoice.DEFAULT, subscriber -> 0, Routes.NONE);
        SubscriptionBudget budget = new SubscriptionBudget(1, System::nanoTime);
        SubscriptionIndex index = new SubscriptionIndex(
                groups,
                new SharedGroups(SharedChoice.DEFAULT, subscriber -> 0, Routes.NONE),
                64,
                Authorizer.allowAll(),
                budget);
        RandomTopics random = new RandomTopics(seed);
        List<SessionSubscriptions> sessions = new ArrayList<>(
                Stream.generate(() -> SessionSubscriptions.none(1)).limit(5).toList());
        for (int i = 0; i < 3_000; i++) {
            int client = random.next(5);
            SessionSubscriptions before = sessions.get(client);
            SessionSubscriptions after = random.next(2) == 0
                    ? before.subscribe(
                                    List.of(request(random.filter(), QoS.of(random.next(3)))),
                                    SubscriptionLimits.defaults(),
                                    Long.MAX_VALUE,
                                    _ -> true)
                            .after()
                    : before.unsubscribe(List.of(TopicFilter.parseStored(random.filter())))
                            .after();
            index.update(new Subscriber("c" + client, true, 1), before.byFilter(), after.byFilter());
            sessions.set(client, after);
            String topic = random.topic();
            assertThat(index.match(topic).receivers().stream().map(MatchCacheTest::describe))
                    .as(topic)
                    .containsExactlyInAnyOrderElementsOf(expected(sessions, topic));
        }
        assertThat(index.counter(true).count().plain())
                .isEqualTo(sessions.stream().mapToInt(s -> s.byFilter().size()).sum());
        assertThat(budget.used()).isPositive();
        for (int client = 0; client < 5; client++) {
            index.update(
                    new Subscriber("c" + client, true, 1), sessions.get(client).byFilter(), Map.of());
        }
        assertThat(budget.used()).isZero();
    }

    private static List<String> expected(List<SessionSubscriptions> sessions, String topic) {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < sessions.size(); i++) {
            String client = "c" + i;
            sessions.get(i).byFilter().values().stream()
                    .filter(request -> request.filter().matches(topic))
                    .map(SubscriptionRequest::qos)
                    .reduce(QoS::max)
                    .ifPresent(qos -> expected.add(client + " " + qos));
        }
        return expected;
    }

    private static String describe(Receiver receiver) {
        return receiver.subscriber().clientId() + " " + receiver.grant().qos();
    }

    private void get(String topic) {
        cache.get(topic, this::compute);
    }

    private Matches compute(String topic) {
        computed.add(topic);
        return Matches.NONE;
    }
}
