package io.tributary.broker.subscription;

import static io.tributary.broker.subscription.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SharedGroupsTest {
    private static final String NAME = "$share/g/t/#";
    private static final TopicFilter FILTER = TopicFilter.parse(NAME);
    private static final Predicate<Receiver> ANY = receiver -> true;

    private final Map<Subscriber, Integer> inFlight = new HashMap<>();
    private final Map<Subscriber, Long> acknowledged = new HashMap<>();
    private SharedGroups groups = groups(SharedStrategy.ROUND_ROBIN);

    @Test
    void takesMembersInTurnByDefault() {
        joinTransients(3);

        assertThat(countPicks(300, "p", "t")).containsValues(100, 100, 100).hasSize(3);
    }

    @Test
    void takesTurnsWhenManyThreadsPick() throws Exception {
        joinTransients(4);
        SharedGroup group = group();
        Map<String, Integer> counts = new TreeMap<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<Map<String, Integer>>> parts = threads.invokeAll(
                    List.of(() -> countPicks(group, 1_000, "p", "t"), () -> countPicks(group, 1_000, "p", "t")));
            for (Future<Map<String, Integer>> part : parts) {
                part.get().forEach((client, count) -> counts.merge(client, count, Integer::sum));
            }
        }

        assertThat(counts.values()).containsExactly(500, 500, 500, 500);
    }

    @Test
    void takesTheMemberWithTheFewestInFlight() {
        groups = groups(SharedStrategy.LEAST_IN_FLIGHT);
        joinTransients(3);
        inFlight.put(transientSession(0), 5);
        inFlight.put(transientSession(1), 2);
        inFlight.put(transientSession(2), 3);

        assertThat(countPicks(10, "p", "t")).containsOnlyKeys("c1");
    }

    @Test
    void sharesEvenlyWhenAllHaveTheSameInFlight() {
        groups = groups(SharedStrategy.LEAST_IN_FLIGHT);
        joinTransients(20);

        assertThat(countPicks(200, "p", "t")).hasSize(20).values().allMatch(count -> count == 10);
    }

    @Test
    void keepsAPublisherWithItsMember() {
        groups = groups(SharedStrategy.STICKY_BY_PUBLISHER);
        joinTransients(5);

        for (int publisher = 0; publisher < 50; publisher++) {
            Map<String, Integer> counts = new HashMap<>();
            for (int topic = 0; topic < 20; topic++) {
                counts.merge(pick("p" + publisher, "t/" + topic), 1, Integer::sum);
            }
            assertThat(counts).hasSize(1);
        }
    }

    @Test
    void keepsATopicWithItsMember() {
        groups = groups(SharedStrategy.HASH_OF_TOPIC);
        joinTransients(5);

        assertThat(countPicks(50, "p", "t/1")).hasSize(1);
        assertThat(pick("other", "t/1")).isEqualTo(pick("p", "t/1"));
    }

    @ParameterizedTest
    @EnumSource(names = {"STICKY_BY_PUBLISHER", "HASH_OF_TOPIC"})
    void movesOnlyTheLeavingMembersKeysAndSharesThemOut(SharedStrategy strategy) {
        groups = groups(strategy);
        joinTransients(5);
        Map<String, String> before = ownersOf(2_000);
        assertThat(countsOf(before)).hasSize(5).values().allMatch(count -> count > 300 && count < 500);

        groups.leave(FILTER, transientSession(2));

        Map<String, String> after = ownersOf(2_000);
        before.forEach((key, owner) -> {
            if (!owner.equals("c2")) {
                assertThat(after).containsEntry(key, owner);
            }
        });
        assertThat(countsOf(after)).hasSize(4).values().allMatch(count -> count > 400 && count < 600);
    }

    @Test
    void givesMembersOnOtherNodesTheirTurnHoweverBusyItsOwnAre() {
        groups = groups(SharedStrategy.LEAST_IN_FLIGHT);
        joinTransients(2);
        join(new Subscriber("far", false, 0, "b#1"));
        inFlight.put(transientSession(0), 9);
        inFlight.put(transientSession(1), 3);

        assertThat(countPicks(300, "p", "t")).containsOnly(Map.entry("c1", 200), Map.entry("far", 100));
    }

    @ParameterizedTest
    @EnumSource(names = {"ROUND_ROBIN", "LEAST_IN_FLIGHT"})
    void passesOverAMemberThatAcknowledgesNothingWhileOthersDo(SharedStrategy strategy) {
        groups = groups(strategy);
        joinTransients(3);
        inFlight.put(transientSession(0), 100);
        look(3);
        assertThat(countPicks(300, "p", "t")).hasSize(strategy == SharedStrategy.ROUND_ROBIN ? 3 : 2);
        look(1);
        assertThat(countPicks(300, "p", "t")).containsOnly(Map.entry("c1", 150), Map.entry("c2", 150));
        acknowledge(transientSession(0), 49);
        look(1);
        assertThat(countPicks(300, "p", "t")).containsOnlyKeys("c1", "c2");
        acknowledge(transientSession(0), 51);
        look(1);
        assertThat(countPicks(300, "p", "t")).hasSize(3).values().allMatch(count -> count == 100);
    }

    @Test
    void doesNotPassOverAMemberThatAcknowledgesAsManyAsItIsSent() {
        joinTransients(2);
        inFlight.put(transientSession(0), 100);
        for (int i = 0; i < 10; i++) {
            acknowledge(transientSession(0), 20);
            inFlight.merge(transientSession(0), 20, Integer::sum);
            look(1);
        }
        assertThat(countPicks(10, "p", "t")).containsOnlyKeys("c0", "c1");
    }

    @Test
    void takesMembersInTurnWhenAllAcknowledgeNothing() {
        Subscriber offline = new Subscriber("offline", true, 1);
        join(offline);
        joinTransients(2);
        inFlight.put(transientSession(0), 1);
        inFlight.put(transientSession(1), 1);
        look(4);
        assertThat(countPicks(10, "p", "t")).containsOnly(Map.entry("c0", 5), Map.entry("c1", 5));
        assertThat(group().hasOnlineMember()).isTrue();
    }

    @Test
    void keepsAPublisherWithAMemberThatAcknowledgesNothing() {
        groups = groups(SharedStrategy.STICKY_BY_PUBLISHER);
        joinTransients(2);
        String before = pick("p", "t");
        inFlight.put(transientSession(0), 1);
        inFlight.put(transientSession(1), 1);
        look(4);
        assertThat(pick("p", "t")).isEqualTo(before);
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            groups.look(session -> acknowledged.getOrDefault(session, 0L) << 32 | inFlight.getOrDefault(session, 0));
        }
    }

    private void acknowledge(Subscriber session, int messages) {
        inFlight.merge(session, -messages, Integer::sum);
        acknowledged.merge(session, (long) messages, Long::sum);
    }

    @Test
    void takesTurnsWhenItKnowsOfNobodyHowBusyHeIs() {
        groups = groups(SharedStrategy.LEAST_IN_FLIGHT);
        for (int i = 0; i < 3; i++) {
            join(new Subscriber("far" + i, false, 0, "b#1"));
        }

        assertThat(countPicks(30, "p", "t")).containsValues(10, 10, 10).hasSize(3);
    }

    @Test
    void takesMembersOnOtherNodesInTurnWithItsOwn() {
        joinTransients(1);
        join(new Subscriber("far", false, 0, "b#1"));
        Subscriber persistent = new Subscriber("persistent", true, 5);
        join(persistent);
        groups.online(persistent, "b#1", false);

        assertThat(countPicks(300, "p", "t"))
                .containsOnlyKeys("c0", "far", "persistent")
                .containsValues(100, 100, 100);
    }

    @Test
    void prefersMembersOfItsOwnNodeWhenLocalOnesGoFirst() {
        groups = new SharedGroups(new SharedChoice(SharedStrategy.ROUND_ROBIN, true), _ -> 0, Routes.NONE);
        Subscriber near = new Subscriber("near", true, 1);
        Subscriber far = new Subscriber("far", true, 2);
        join(near);
        join(far);
        join(transientSession(1));
        join(new Subscriber("c2", false, 1, "b#1"));
        groups.online(near);
        groups.online(far, "b#1", false);
        assertThat(countPicks(20, "p", "t")).containsOnlyKeys("near", "c1").containsValues(10, 10);

        groups.leave(FILTER, transientSession(1));
        CompletableFuture<?> _ = groups.offline(near);
        assertThat(countPicks(20, "p", "t")).containsOnlyKeys("far", "c2").containsValues(10, 10);

        groups.leave(FILTER, new Subscriber("c2", false, 1, "b#1"));
        groups.offline(far, "b#1");
        assertThat(countPicks(20, "p", "t")).containsOnlyKeys("near", "far");
        assertThat(group().hasOnlineMember()).isFalse();
    }

    @Test
    void goesOnToMembersElsewhereWhenNoLocalOneMayHaveIt() {
        groups = new SharedGroups(new SharedChoice(SharedStrategy.ROUND_ROBIN, true), _ -> 0, Routes.NONE);
        joinTransients(1);
        join(new Subscriber("far", false, 0, "b#1"));

        assertThat(name(group().pick("p", "t", each -> each.subscriber().node() != null)))
                .isEqualTo("far");
        assertThat(group().pickHere("p", "t", each -> each.subscriber().node() != null))
                .isNull();
    }

    /** Compares a group of many members, which come and go in any order, with a plain set. */
    @Test
    void choosesAmongThoseWhoAreThereHoweverTheyCameAndWent() {
        Random random = new Random(11);
        Set<String> present = new HashSet<>();
        for (int step = 0; step < 20_000; step++) {
            int number = random.nextInt(500);
            if (random.nextInt(3) == 0) {
                groups.leave(FILTER, transientSession(number));
                present.remove("c" + number);
            } else {
                join(transientSession(number));
                present.add("c" + number);
            }
            if (step % 100 == 0 && !present.isEmpty()) {
                assertThat(countPicks(present.size(), "p", "t").keySet()).isEqualTo(present);
            }
        }
    }

    @Test
    void prefersMembersThatAreOnline() {
        Subscriber offline = new Subscriber("offline", true, 1);
        Subscriber online = new Subscriber("online", true, 2);
        groups.online(online);
        join(offline);
        join(online);

        assertThat(countPicks(10, "p", "t")).containsOnlyKeys("online");
    }

    @Test
    void fallsBackToAnOfflineMemberWhenNoneIsOnline() {
        Subscriber member = new Subscriber("m", true, 1);
        groups.online(member);
        join(member);
        CompletableFuture<?> _ = groups.offline(member);

        assertThat(pick("p", "t")).isEqualTo("m");
        assertThat(group().pickOnline("p", "t", ANY)).isNull();
    }

    @Test
    void noticesThatAMemberComesOnlineLater() {
        Subscriber first = new Subscriber("first", true, 1);
        join(first);
        join(new Subscriber("second", true, 2));
        groups.online(first);

        assertThat(countPicks(5, "p", "t")).containsOnlyKeys("first");
    }

    @Test
    void staysOnlineWhenTheOldConnectionGoesAfterTheNewOneCame() {
        Subscriber member = new Subscriber("m", true, 1);
        join(member);
        groups.online(member);
        groups.online(member);
        CompletableFuture<?> _ = groups.offline(member);
        assertThat(group().pickOnline("p", "t", ANY)).isNotNull();

        CompletableFuture<?> _ = groups.offline(member);
        CompletableFuture<?> _ = groups.offline(member);
        assertThat(group().pickOnline("p", "t", ANY)).isNull();
    }

    @Test
    void doesNotChooseASessionThatIsOverAsIfItWereOnline() {
        Subscriber member = new Subscriber("m", true, 1);
        groups.online(member);
        join(member);
        groups.forget(member);

        assertThat(group().pickOnline("p", "t", ANY)).isNull();
    }

    @Test
    void goesOnToTheNextMemberWhenOneIsNotAccepted() {
        joinTransients(3);
        Predicate<Receiver> onlyLast =
                receiver -> receiver.subscriber().clientId().equals("c2");

        for (int i = 0; i < 5; i++) {
            assertThat(group().pick("p", "t", onlyLast)).isNotNull();
        }
        assertThat(group().pick("p", "t", ANY.negate())).isNull();
    }

    /** From offline, or stuck, to online: against the order in which members are looked at. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void findsAMemberThatComesWhileOthersAreAsked(boolean isStuckBefore) {
        Subscriber asked = new Subscriber("asked", true, 1);
        Subscriber coming = new Subscriber("coming", true, 2);
        join(asked);
        join(coming);
        groups.online(asked, "b#1", false);
        if (isStuckBefore) {
            groups.online(coming, "b#1", true);
        }
        Predicate<Receiver> accepts = receiver -> {
            groups.online(coming, "b#1", false);
            return receiver.subscriber().equals(coming);
        };

        assertThat(name(group().pick("p", "t", accepts))).isEqualTo("coming");
    }

    @Test
    void asksEachMemberOnceWhenNoneMayHaveItAndNothingChanges() {
        joinTransients(3);
        List<Receiver> asked = new ArrayList<>();

        assertThat(group().pick("p", "t", each -> !asked.add(each))).isNull();
        assertThat(asked).hasSize(3);
    }

    @Test
    void isForNobodyWhenNoMemberMayHaveItButNotWhenThereIsNone() {
        joinTransients(1);
        SharedGroup group = group();
        assertThat(group.isForNobody(ANY)).isFalse();
        assertThat(group.isForNobody(ANY.negate())).isTrue();
        assertThat(group.isForNobody(_ -> !groups.leave(FILTER, transientSession(0))))
                .isFalse();
        assertThat(group.isForNobody(ANY.negate())).isFalse();
    }

    @Test
    void replacesTheSubscriptionOfAMemberThatJoinsAgain() {
        assertThat(join(transientSession(0))).isTrue();
        assertThat(groups.join(
                        FILTER,
                        Receiver.of(
                                transientSession(0),
                                Requests.withId(NAME, io.tributary.common.mqtt.QoS.AT_MOST_ONCE, 8))))
                .isFalse();

        Receiver member = group().pick("p", "t", ANY);
        assertThat(member).isNotNull();
        assertThat(member.grant().subscriptionIds()).containsExactly(8);
    }

    @Test
    void goesWithItsLastMember() {
        joinTransients(2);
        assertThat(groups.match("t/x")).hasSize(1);

        assertThat(groups.leave(FILTER, transientSession(0))).isTrue();
        assertThat(groups.leave(FILTER, transientSession(0))).isFalse();
        assertThat(groups.leave(FILTER, transientSession(1))).isTrue();

        assertThat(groups.match("t/x")).isEmpty();
        assertThat(groups.find(NAME)).isNull();
        assertThat(groups.leave(FILTER, transientSession(1))).isFalse();
    }

    @Test // [MQTT-4.8.2-1]: the same filter with another share name is another subscription
    void keepsGroupsApartByNameAndByFilter() {
        join(transientSession(0));
        TopicFilter otherName = TopicFilter.parse("$share/h/t/#");
        TopicFilter otherFilter = TopicFilter.parse("$share/g/t/+");
        groups.join(otherName, Receiver.of(transientSession(1), request(otherName.toString())));
        groups.join(otherFilter, Receiver.of(transientSession(2), request(otherFilter.toString())));

        assertThat(groups.match("t/x"))
                .extracting(SharedGroup::name)
                .containsExactlyInAnyOrder(NAME, "$share/h/t/#", "$share/g/t/+");
        assertThat(groups.match("t/x/y")).hasSize(2);
    }

    private SharedGroups groups(SharedStrategy strategy) {
        return new SharedGroups(
                new SharedChoice(strategy, false), subscriber -> inFlight.getOrDefault(subscriber, 0), Routes.NONE);
    }

    private void joinTransients(int count) {
        for (int i = 0; i < count; i++) {
            join(transientSession(i));
        }
    }

    private boolean join(Subscriber subscriber) {
        return groups.join(FILTER, Receiver.of(subscriber, request(NAME)));
    }

    private static Subscriber transientSession(int number) {
        return new Subscriber("c" + number, false, number);
    }

    private SharedGroup group() {
        SharedGroup group = groups.find(NAME);
        assertThat(group).isNotNull();
        return group;
    }

    private String pick(String publisher, String topic) {
        return name(group().pick(publisher, topic, ANY));
    }

    private Map<String, Integer> countPicks(int times, String publisher, String topic) {
        return countPicks(group(), times, publisher, topic);
    }

    private static Map<String, Integer> countPicks(SharedGroup group, int times, String publisher, String topic) {
        Map<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < times; i++) {
            counts.merge(name(group.pick(publisher, topic, ANY)), 1, Integer::sum);
        }
        return counts;
    }

    private static String name(@Nullable Receiver receiver) {
        assertThat(receiver).isNotNull();
        return receiver.subscriber().clientId();
    }

    private Map<String, String> ownersOf(int keys) {
        Map<String, String> owners = new HashMap<>();
        for (int i = 0; i < keys; i++) {
            owners.put("k" + i, pick("k" + i, "k" + i));
        }
        return owners;
    }

    private static Map<String, Integer> countsOf(Map<String, String> owners) {
        Map<String, Integer> counts = new HashMap<>();
        owners.values().forEach(owner -> counts.merge(owner, 1, Integer::sum));
        return counts;
    }
}
