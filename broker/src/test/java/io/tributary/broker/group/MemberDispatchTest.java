package io.tributary.broker.group;

import static io.tributary.broker.group.GroupFixture.GROUP;
import static io.tributary.broker.group.GroupFixture.WINDOW;
import static io.tributary.broker.group.GroupFixture.attached;
import static io.tributary.broker.group.GroupFixture.messages;
import static io.tributary.broker.group.GroupFixture.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.group.GroupFixture.Handed;
import io.tributary.broker.routing.RouteOutcome;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemberDispatchTest {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final GroupFixture fixture = new GroupFixture();
    private final GroupSession session = new GroupSession(GROUP, -1, fixture.services, fixture.thread());
    private final MemberDispatch dispatch = new MemberDispatch(
            GROUP,
            fixture.services,
            session,
            new DeadLetters(GROUP, fixture.services, fixture.thread()),
            fixture.thread());

    @BeforeEach
    void start() {
        session.open();
        session.attached(attached(7));
        fixture.run();
        fixture.told.clear();
    }

    @Test
    void messagesWaitForAMember() {
        deliver(1, 2);
        assertThat(dispatch.isIdle()).isTrue();
        fixture.online("a");
        dispatch.dispatchSoon();
        fixture.run();
        assertThat(fixture.textsOf("a")).containsExactly("1", "2");
        assertThat(dispatch.isIdle()).isFalse();
    }

    @Test
    void messageIsSettledWhenTheMemberHasAcknowledgedIt() {
        fixture.online("a");
        deliver(1, 2, 3);
        fixture.handed.get(2).reply().done();
        fixture.handed.get(0).reply().done();
        fixture.run();
        assertThat(fixture.told).containsExactly("settle [3, 1]");
    }

    @Test
    void messageThatComesAgainIsHandedOutOnce() {
        fixture.online("a");
        deliver(1, 2);
        reply(0).reply().done();
        fixture.run();
        fixture.told.clear();
        deliver(1, 2); // of what is acknowledged the new owner does not know
        assertThat(fixture.handed).hasSize(2);
        assertThat(fixture.told).containsExactly("settle [1]");
    }

    @Test
    void membersShareTheMessages() {
        fixture.online("a", "b");
        deliver(1, 2, 3, 4);
        assertThat(fixture.textsOf("a")).hasSize(2);
        assertThat(fixture.textsOf("b")).hasSize(2);
        assertThat(fixture.handed).extracting(Handed::text).containsExactly("1", "2", "3", "4");
    }

    /** All but one member, and one more that may come, leave a quarter of the window free. */
    @Test
    void memberGetsNoMoreThanItsPartOfTheWindow() {
        join("a", "b", "c", "d", "e", "f", "g");
        deliver(LongStream.rangeClosed(1, WINDOW).toArray());
        assertThat(List.of("a", "b", "c", "d", "e", "f", "g"))
                .allSatisfy(member -> assertThat(fixture.textsOf(member)).hasSize(1));
    }

    /** A session's owner reads on when a quarter of its window is free. */
    @Test
    void membersThatComeOneAfterTheOtherAndAcknowledgeNothingLeaveAQuarterOfTheWindow() {
        deliver(LongStream.rangeClosed(1, WINDOW).toArray());
        join("a");
        assertThat(fixture.textsOf("a")).hasSize(4);
        join("b");
        assertThat(fixture.textsOf("b")).hasSize(2);
        join("c");
        for (int i = 0; i < fixture.handed.size(); i++) {
            if (reply(i).clientId().equals("c")) {
                reply(i).reply().done();
                fixture.run();
            }
        }
        assertThat(fixture.textsOf("c")).as("all that is left").hasSize(WINDOW - 6);
        assertThat(fixture.textsOf("a")).hasSize(4);
        assertThat(fixture.textsOf("b")).hasSize(2);
    }

    @Test
    void memberThatGaveSomethingBackPauses() {
        fixture.online("a");
        deliver(1);
        reply(0).reply().returned(false);
        fixture.run();
        assertThat(fixture.handed).hasSize(1);
        fixture.pass(PAUSE.minusNanos(1));
        tick();
        assertThat(fixture.handed).hasSize(1);
        fixture.pass(Duration.ofNanos(1));
        tick();
        assertThat(fixture.textsOf("a")).containsExactly("1", "1");
        assertThat(reply(1).dup()).isFalse();
        assertThat(fixture.told).isEmpty();
    }

    @Test
    void anotherMemberGetsWhatOneLeft() {
        fixture.online("a", "b");
        deliver(1);
        String first = reply(0).clientId();
        reply(0).reply().returned(true);
        fixture.run();
        assertThat(reply(1).clientId()).isNotEqualTo(first);
        assertThat(reply(1).dup()).isTrue();
        assertThat(fixture.told).containsExactly("redelivered");
    }

    @Test // [MQTT-3.3.2-5]
    void anotherMemberDoesNotGetWhatHasExpiredSinceOneLeftIt() {
        fixture.online("a", "b");
        deliverExpiring(1, Duration.ofSeconds(10));
        fixture.pass(Duration.ofSeconds(10));
        reply(0).reply().returned(true);
        fixture.run();
        assertThat(fixture.handed).hasSize(1);
        assertThat(fixture.told).containsExactly("redelivered", "dropped EXPIRED", "settle [1]");
        assertThat(dispatch.isIdle()).isTrue();
    }

    @Test
    void memberGetsWhatItHasLeftThoughThatHasExpiredSince() {
        fixture.online("a");
        deliverExpiring(1, Duration.ofSeconds(10));
        reply(0).reply().returned(true);
        fixture.run();
        fixture.pass(Duration.ofSeconds(10));
        tick();
        assertThat(fixture.textsOf("a")).containsExactly("1", "1");
        assertThat(reply(1).dup()).isTrue();
    }

    @Test
    void memberThatWasThoughtToBeGoneMayAcknowledge() {
        fixture.online("a", "b");
        deliver(1);
        reply(0).reply().returned(true);
        reply(0).reply().done();
        fixture.run();
        assertThat(fixture.told).contains("settle [1]");
        assertThat(dispatch.isIdle()).isTrue();
    }

    @Test
    void answerToAnEarlierAttemptCountsForNothing() {
        fixture.online("a", "b");
        deliver(1);
        reply(0).reply().returned(false);
        fixture.run();
        reply(0).reply().returned(true);
        fixture.run();
        assertThat(fixture.handed).hasSize(2);
        assertThat(fixture.told).isEmpty();
    }

    @Test
    void messageThatNoMemberMayHaveIsDropped() {
        fixture.online("a");
        fixture.forbidden.add("a");
        deliver(1);
        assertThat(fixture.handed).isEmpty();
        assertThat(fixture.told).containsExactly("dropped NOT_AUTHORIZED", "settle [1]");
    }

    @Test
    void messageWaitsForTheNextMemberWhenTheLastLeavesJustThen() {
        fixture.online("a");
        fixture.forbidden.add("a");
        fixture.whenAsked = () -> fixture.unsubscribe("a", GROUP);
        deliver(1, 2);
        assertThat(fixture.told).isEmpty();
        fixture.whenAsked = () -> {};
        fixture.online("b");
        tick();
        assertThat(fixture.textsOf("b")).containsExactly("1", "2");
    }

    @Test
    void messageThatNobodyOnlineMayHaveIsNotAskedForAgainUntilMembersOrRulesChange() {
        AtomicInteger asked = new AtomicInteger();
        fixture.subscribe("away", GROUP);
        fixture.forbidden.add("a");
        fixture.whenAsked = asked::incrementAndGet;
        join("a");
        deliver(1, 2);
        assertThat(asked.getAndSet(0)).isPositive();
        tick();
        assertThat(asked).hasValue(0);

        join("b");
        assertThat(fixture.textsOf("b")).containsExactly("1", "2");
        fixture.gone("b");
        fixture.forbidden.add("c");
        join("c");
        deliver(3);
        fixture.forbidden.remove("c");
        tick();
        assertThat(fixture.textsOf("c")).isEmpty();
        fixture.pass(Duration.ofSeconds(5));
        tick();
        assertThat(fixture.textsOf("c")).containsExactly("3");
    }

    /** Other groups have the same thread. */
    @Test
    void turnThatHasMuchToAskIsInterrupted() {
        int members = 1_500;
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        MemberDispatch counted = new MemberDispatch(
                GROUP,
                fixture.services,
                session,
                new DeadLetters(GROUP, fixture.services, fixture.thread()),
                task -> fixture.thread().execute(() -> {
                    asked.set(0);
                    task.run();
                    most.accumulateAndGet(asked.get(), Math::max);
                }));
        fixture.subscribe("away", GROUP);
        joinWithoutRights(members);
        fixture.whenAsked = asked::incrementAndGet;
        counted.deliver(List.copyOf(messages(LongStream.rangeClosed(1, WINDOW).toArray())));
        fixture.run();
        assertThat(most.get()).isPositive().isLessThan(10_000 + 2 * members + 2);
        fixture.online("last");
        counted.dispatchSoon();
        fixture.run();
        assertThat(fixture.handed).isNotEmpty();
        assertThat(fixture.textsOf("last")).isSortedAccordingTo(Comparator.comparingInt(Integer::parseInt));
    }

    /** A member subscribes again between any two turns, each of which asks too much. */
    @Test
    void lastMessageIsReachedThoughMembersChangeAllTheTime() {
        joinWithoutRights(1_500);
        fixture.online("a", "b");
        fixture.onlyTopics.put("a", "t");
        fixture.onlyTopics.put("b", "b");
        AtomicInteger asked = new AtomicInteger();
        fixture.whenAsked = () -> {
            if (asked.incrementAndGet() % 4_000 == 0
                    && asked.get() < 200_000
                    && fixture.textsOf("b").findAny().isEmpty()) {
                fixture.online("member-0");
            }
        };
        dispatch.deliver(messages(LongStream.range(1, WINDOW).toArray()));
        dispatch.deliver(List.of(new Delivery(WINDOW, queued("b", "last"), false)));
        fixture.run();
        assertThat(fixture.textsOf("b")).containsExactly("last");
        assertThat(asked).hasValueLessThan(200_000);
    }

    /** What is at the front may be for it, and the turns before have passed that by. */
    @Test
    void memberThatComesBetweenTwoTurnsGetsTheFirstMessageFirst() {
        joinWithoutRights(1_500);
        fixture.online("a");
        AtomicInteger asked = new AtomicInteger();
        fixture.whenAsked = () -> {
            if (asked.incrementAndGet() == 11_000) {
                fixture.online("b");
            }
        };
        deliver(LongStream.rangeClosed(1, WINDOW).toArray());
        assertThat(asked).as("more than a turn").hasValueGreaterThan(11_000);
        assertThat(fixture.textsOf("a")).containsExactly("1");
        assertThat(fixture.textsOf("b")).containsExactly("2");
    }

    /** It was there when the first turn began, and was not asked about what is at the front. */
    @Test
    void memberThatLeavesAndComesBackBetweenTwoTurnsGetsTheFirstMessageFirst() {
        joinWithoutRights(1_500);
        fixture.forbidden.add("b");
        fixture.online("a", "b");
        AtomicInteger asked = new AtomicInteger();
        fixture.whenAsked = () -> {
            if (asked.incrementAndGet() == 9_000) {
                fixture.gone("b");
                fixture.forbidden.remove("b");
            } else if (asked.get() == 11_000) {
                fixture.online("b");
            }
        };
        deliver(LongStream.rangeClosed(1, WINDOW).toArray());
        assertThat(asked).as("more than a turn").hasValueGreaterThan(11_000);
        assertThat(fixture.textsOf("a")).containsExactly("1");
        assertThat(fixture.textsOf("b")).containsExactly("2");
    }

    /** Its acknowledgement comes while others are asked about what is behind. */
    @Test
    void memberThatGetsRoomBetweenTwoTurnsGetsWhatWasPassedByFirst() {
        joinWithoutRights(1_500);
        fixture.online("a");
        AtomicInteger asked = new AtomicInteger();
        fixture.whenAsked = () -> {
            if (asked.incrementAndGet() == 5_000) {
                reply(0).reply().done();
            }
        };
        deliver(LongStream.rangeClosed(1, WINDOW).toArray());
        assertThat(asked).as("more than a turn").hasValueGreaterThan(10_000);
        assertThat(fixture.textsOf("a")).containsExactly("1", "2");
    }

    @Test
    void laterMessageDoesNotOvertakeThoseOfItsTopicThatNobodyMightHave() {
        fixture.subscribe("away", GROUP);
        fixture.forbidden.add("a");
        join("a");
        deliver(1, 2);
        fixture.forbidden.remove("a");
        deliver(3);
        assertThat(fixture.textsOf("a")).isEmpty();
        fixture.pass(Duration.ofSeconds(5));
        tick();
        assertThat(fixture.textsOf("a")).containsExactly("1", "2", "3");
    }

    @Test
    void nothingIsHandedOutWhenTheSessionIsClosing() {
        fixture.online("a");
        session.close();
        deliver(1);
        assertThat(fixture.handed).isEmpty();
    }

    @Test
    void messageThatIsLeftTooOftenIsPutAside() {
        leaveTooOften();
        assertThat(dispatch.isIdle()).isFalse();
        fixture.letters.getFirst().callback().onRouted(new RouteOutcome.Safe());
        fixture.run();
        assertThat(fixture.told).containsExactly("redelivered", "put aside", "settle [1]");
        assertThat(dispatch.isIdle()).isTrue();
    }

    @Test
    void messageGoesToMembersAgainWhenNobodyTakesTheDeadLetter() {
        leaveTooOften();
        fixture.letters.getFirst().callback().onRouted(new RouteOutcome.NoSubscribers());
        fixture.run();
        fixture.pass(PAUSE);
        tick();
        assertThat(fixture.handed).hasSize(3);
        assertThat(fixture.told).containsExactly("redelivered", "redelivered");
    }

    @Test
    void qos0GoesToAMemberThatIsOnline() {
        dispatch.qos0(queued("m"));
        fixture.online("a");
        dispatch.qos0(queued("m"));
        assertThat(fixture.told).containsExactly("dropped OFFLINE", "qos0 a");
    }

    private void leaveTooOften() {
        fixture.online("a", "b");
        deliver(1);
        reply(0).reply().returned(true);
        fixture.run();
        reply(1).reply().returned(true);
        fixture.run();
        assertThat(fixture.letters).hasSize(1);
    }

    /** So many members that may have nothing; "member-0" is one. */
    private void joinWithoutRights(int count) {
        for (int i = 0; i < count; i++) {
            fixture.forbidden.add("member-" + i);
            fixture.online("member-" + i);
        }
    }

    private void join(String... clientIds) {
        fixture.online(clientIds);
        dispatch.dispatchSoon();
        fixture.run();
    }

    private Handed reply(int index) {
        return fixture.handed.get(index);
    }

    private void deliver(long... sequences) {
        dispatch.deliver(List.copyOf(messages(sequences)));
        fixture.run();
    }

    private void deliverExpiring(long sequence, Duration after) {
        dispatch.deliver(List.of(new Delivery(sequence, queued(String.valueOf(sequence), after.toMillis()), false)));
        fixture.run();
    }

    private void tick() {
        dispatch.tick();
        fixture.run();
    }
}
