package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.cleanStart;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.member;
import static io.tributary.broker.shard.fold.Samples.publish;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent.MovedMessage;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RedistributorTest {
    private static final QoS AT_LEAST_ONCE = QoS.AT_LEAST_ONCE;
    private static final QoS EXACTLY_ONCE = QoS.EXACTLY_ONCE;

    private final DeliveryFixture shard = DeliveryFixture.of(2, 500, Overflow.DROP_OLDEST);
    private int ended;

    @BeforeEach
    void beginSession() {
        shard.otherMember = member("b", 1, AT_LEAST_ONCE);
        shard.fold(attach("a", 7));
    }

    @Test
    void messagesMoveInSeveralRecordsWhenTheyAreLarge() {
        PublishProperties properties = new PublishProperties(null, "x".repeat(60_000), null, null, List.of());
        Message message = new Message("t", new byte[1], AT_LEAST_ONCE, false, properties, Message.NEVER, "p");
        for (int i = 0; i < 15; i++) {
            shard.fold(new Publish(message, List.of(member("a", 1, AT_LEAST_ONCE)), null));
        }
        leave(0);
        assertThat(moved()).hasSize(15);
        assertThat(shard.redistributions)
                .allSatisfy(record -> assertThat(EventCodec.encode(record, RecordFormat.NEWEST))
                        .hasSizeLessThan(512 << 10));
        shard.redistributions.forEach(shard::fold);
        assertThat(shard.client("a").queuedMessages()).isZero();
    }

    @Test
    void messagesMoveWhenTheirMemberLeaves() {
        queue(AT_LEAST_ONCE, 3);
        leave(1);
        assertThat(moved()).containsExactly(1L, 2L, 3L);
        shard.redistributions.forEach(shard::fold);
        assertThat(shard.client("a").queuedMessages()).isZero();
    }

    @Test
    void messagesMoveWhenItIsKnownWhatTheirMemberHasAcknowledged() {
        shard.target.answers = true;
        queue(AT_LEAST_ONCE, 4); // the window is of two
        leave(2);
        assertThat(moved()).isEmpty();
        shard.deliveries.settle("a", 1, new long[] {1});
        shard.allSettled("a", 1);
        assertThat(moved()).containsExactly(2L, 3L, 4L);
        shard.redistributions.forEach(shard::fold);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
    }

    @Test
    void nothingMovesBeforeItIsKnownWhatTheLastConnectionHasAcknowledged() {
        shard.target.answers = true;
        shard.otherMember = null;
        queue(AT_LEAST_ONCE, 2);
        leave(2);
        queue(AT_LEAST_ONCE, 1);
        shard.otherMember = member("b", 1, AT_LEAST_ONCE);
        shard.redistributor.retry();
        shard.redistributor.ending(shard.client("a"), () -> ended++, () -> {});
        assertThat(moved()).isEmpty();
        shard.deliveries.settle("a", 1, new long[] {1});
        shard.allSettled("a", 1);
        assertThat(moved()).containsExactly(2L, 3L);
        assertThat(ended).isZero();
    }

    @Test
    void acknowledgementOfWhatIsMovingIsTooLate() {
        shard.logsAtOnce = false;
        queue(AT_LEAST_ONCE, 2);
        leave(2);
        assertThat(moved()).containsExactly(1L, 2L);
        shard.deliveries.settle("a", 1, new long[] {1});
        shard.deliveries.received("a", 1, new long[] {2});
        assertThat(shard.deliveries.toBeLogged.isEmpty()).isTrue();
        shard.redistributions.forEach(shard::fold);
        shard.fold(publish("own", recipient("a", 1)));
        assertThat(shard.client("a").queuedMessages()).isEqualTo(1);
        shard.target.take();
        shard.fold(attach("a", 9));
        assertThat(shard.target.take()).containsExactly("9: 3");
    }

    @Test
    void exactlyOnceThatWasNotSentMovesThoughAcknowledgementsAreWaitedFor() {
        shard.target.answers = true;
        queue(EXACTLY_ONCE, 3); // two of them are handed over
        leave(1);
        shard.fold(cleanStart("a", 8));
        shard.allSettled("a", 1);
        assertThat(moved()).containsExactly(2L, 3L);
    }

    @Test
    void exactlyOnceThatWasNotHandedMovesThoughTheLogTakesAllForSent() {
        shard.otherMember = null;
        queue(EXACTLY_ONCE, 3); // two of them are handed over
        leave(-1);
        shard.fold(new SessionExpired(DeliveryFixture.OWNER, "a", 1, 0)); // too early: the session goes on
        shard.otherMember = member("b", 1, EXACTLY_ONCE);
        shard.nowMillis += 10_000;
        shard.redistributor.retry();
        assertThat(moved()).containsExactly(3L);
    }

    @Test
    void messagesStayWhenNobodyElseIsOnline() {
        shard.otherMember = null;
        queue(AT_LEAST_ONCE, 3);
        leave(3);
        assertThat(moved()).isEmpty();
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).contains("8: 1 dup 2 dup");
    }

    @Test
    void messagesOfOtherSubscriptionsStay() {
        queue(AT_LEAST_ONCE, 1);
        shard.fold(publish("own", recipient("a", 1)));
        leave(0);
        assertThat(moved()).containsExactly(1L);
    }

    @Test
    void exactlyOnceStaysWhenItWasSent() { // [MQTT-4.8.2-4]
        queue(EXACTLY_ONCE, 3);
        leave(2);
        assertThat(moved()).containsExactly(3L);
    }

    @Test
    void acknowledgedMessagesDoNotMove() {
        queue(AT_LEAST_ONCE, 3);
        shard.settle("a", 2);
        leave(3);
        assertThat(moved()).containsExactly(1L, 3L);
    }

    @Test
    void messagesMoveInPagesWhenThereAreMany() {
        queue(AT_LEAST_ONCE, 250);
        leave(0);
        assertThat(shard.redistributions).extracting(one -> one.moved().size()).containsExactly(100, 100, 50);
    }

    @Test
    void clientWaitsForItsMovesWhenItComesBack() {
        queue(AT_LEAST_ONCE, 2);
        shard.fold(publish("own", recipient("a", 1)));
        leave(0);
        shard.target.take();
        shard.fold(attach("a", 8));
        shard.fold(publish("own", recipient("a", 1)));
        assertThat(shard.target.take()).isEmpty();
        shard.redistributions.forEach(shard::fold);
        assertThat(shard.target.take()).containsExactly("8: 3 4");
    }

    @Test
    void nothingMovesWhenTheClientCameBackWhileTheQueueWasRead() {
        queue(AT_LEAST_ONCE, 2);
        shard.save();
        leave(0);
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(moved()).isEmpty();
        assertThat(shard.target.take()).contains("8: 1 2");
    }

    @Test
    void storedMessagesMoveWhenTheirMemberLeavesForTheSecondTime() {
        queue(AT_LEAST_ONCE, 2);
        shard.save();
        leave(0);
        long epoch = shard.fold(attach("a", 8));
        shard.store.answerAll();
        shard.fold(detach("a", epoch, 0));
        shard.store.answerAll();
        assertThat(moved()).containsExactly(1L, 2L);
    }

    @Test
    void nextSessionGetsItsOwnMessagesWhenTheLastOneEndsWhileTheQueueIsRead() {
        queue(AT_LEAST_ONCE, 2);
        shard.save();
        leave(0);
        shard.target.take();
        long session = shard.fold(cleanStart("a", 8));
        shard.fold(publish("m", member("a", session, AT_LEAST_ONCE)));
        shard.store.answerAll();
        assertThat(moved()).containsExactly(1L, 2L);
        shard.redistributions.forEach(shard::fold);
        assertThat(shard.target.take()).containsExactly("8: 3");
        shard.settle("a", 3);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
    }

    @Test
    void messagesMoveAndOthersGoWhenANewSessionBegins() {
        queue(AT_LEAST_ONCE, 1);
        shard.fold(publish("own", recipient("a", 1)));
        queue(AT_LEAST_ONCE, 1);
        shard.settle("a", 1);
        shard.fold(cleanStart("a", 8));
        assertThat(moved()).containsExactly(3L);
        shard.redistributions.forEach(shard::fold);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
        assertThat(shard.client("a").queuedBytes()).isZero();
    }

    @Test
    void exactlyOnceGoesWithItsSessionWhenItWasSent() { // [MQTT-4.8.2-5]
        queue(EXACTLY_ONCE, 3);
        shard.fold(cleanStart("a", 8));
        assertThat(moved()).containsExactly(3L);
        shard.redistributions.forEach(shard::fold);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
    }

    @Test
    void everythingIsTakenForSentWhenTheOwnerIsNew() {
        queue(EXACTLY_ONCE, 3);
        shard.deliveries.ended(shard.client("a")); // it never served the connection
        shard.fold(cleanStart("a", 8));
        assertThat(moved()).isEmpty();
    }

    @Test
    void sweepIsRepeatedWhenTheQueueCouldNotBeRead() {
        queue(AT_LEAST_ONCE, 2);
        shard.save();
        shard.fold(cleanStart("a", 8));
        shard.store.fail();
        assertThat(moved()).isEmpty();
        shard.nowMillis += 1000;
        shard.redistributor.retry();
        shard.store.answerAll();
        assertThat(moved()).containsExactly(1L, 2L);
    }

    @Test
    void queueThatCouldNotBeReadIsReadAgainASecondLater() {
        queue(AT_LEAST_ONCE, 2);
        shard.save();
        leave(0);
        shard.store.fail();
        shard.redistributor.retry();
        shard.store.answerAll();
        assertThat(moved()).as("at once").isEmpty();
        shard.nowMillis += 1000;
        shard.redistributor.retry();
        shard.store.answerAll();
        assertThat(moved()).containsExactly(1L, 2L);
    }

    @Test
    void everythingThatWasNotSentMovesWhenTheClientStartsCleanTwice() {
        queue(EXACTLY_ONCE, 5);
        shard.settle("a", 1);
        shard.save();
        shard.fold(cleanStart("a", 8));
        shard.fold(cleanStart("a", 9));
        shard.store.answerAll();
        assertThat(moved()).containsExactly(4L, 5L);
        assertThat(shard.redistributor.isSweeping(shard.client("a"))).isFalse();
    }

    @Test
    void whatTheLastSessionHasAcknowledgedDoesNotMoveThoughItsNodeTellsThatLate() {
        shard.target.answers = true;
        queue(AT_LEAST_ONCE, 4); // the window is of two
        shard.fold(cleanStart("a", 8));
        assertThat(moved()).isEmpty();
        assertThat(shard.redistributor.isSweeping(shard.client("a"))).isTrue();
        shard.settle(1, "a", 1);
        shard.allSettled("a", 1);
        assertThat(moved()).containsExactly(2L, 3L, 4L);
        shard.redistributions.forEach(shard::fold);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
    }

    @Test
    void whatSessionsBeforeHaveAcknowledgedDoesNotMoveThoughThereWereTwo() {
        shard.target.answers = true;
        queue(AT_LEAST_ONCE, 3);
        long second = shard.fold(cleanStart("a", 8));
        shard.fold(publish("m", member("a", second, AT_LEAST_ONCE)));
        shard.fold(cleanStart("a", 9));
        shard.settle(1, "a", 2);
        shard.allSettled("a", 1);
        assertThat(moved()).isEmpty();
        shard.settle(second, "a", 4);
        shard.allSettled("a", second);
        assertThat(moved()).containsExactly(1L, 3L);
    }

    @Test
    void messagesOfTheLastSessionMoveWhenItsNodeTellsNothing() {
        shard.target.answers = true;
        queue(AT_LEAST_ONCE, 2);
        leave(2);
        shard.fold(cleanStart("a", 8));
        shard.nowMillis += 499;
        shard.redistributor.retry();
        assertThat(moved()).isEmpty();
        shard.nowMillis++;
        shard.redistributor.retry();
        assertThat(moved()).containsExactly(1L, 2L);
        shard.settle(1, "a", 1);
        shard.allSettled("a", 1);
        assertThat(shard.redistributions).hasSize(1);
    }

    @Test
    void sessionDoesNotEndWhileWhatItInheritedIsMoved() {
        queue(AT_LEAST_ONCE, 2);
        shard.save();
        long epoch = shard.fold(cleanStart("a", 8));
        shard.fold(detach("a", epoch, true, 0));
        boolean[] later = new boolean[1];
        shard.redistributor.ending(shard.client("a"), () -> ended = 1, () -> later[0] = true);
        assertThat(ended).isZero();
        assertThat(later[0]).isTrue();
        shard.store.answerAll();
        shard.redistributions.forEach(shard::fold);
        shard.redistributor.ending(shard.client("a"), () -> ended = 1, () -> {});
        assertThat(ended).isEqualTo(1);
    }

    @Test
    void nextSessionIsUntouchedWhenASweepFailedAndItsSessionIsOver() {
        queue(AT_LEAST_ONCE, 2);
        shard.save();
        shard.fold(cleanStart("a", 8));
        shard.store.fail();
        shard.fold(cleanStart("a", 9));
        shard.store.answerAll();
        assertThat(moved()).containsExactly(1L, 2L);
        shard.nowMillis += 1000;
        shard.redistributor.retry();
        shard.store.answerAll();
        assertThat(moved()).containsExactly(1L, 2L);
    }

    @Test
    void whatWasHandedToTheConnectionBeforeIsKnownWhenASessionThatWasTakenOverEnds() {
        queue(EXACTLY_ONCE, 5);
        long epoch = shard.fold(attach("a", 8)); // for all that the log says, everything may have been sent
        shard.otherMember = null;
        shard.fold(detach("a", epoch, 0));
        shard.otherMember = member("b", 1, AT_LEAST_ONCE);
        shard.redistributor.ending(shard.client("a"), () -> ended = 1, () -> {});
        assertThat(moved()).containsExactly(3L, 4L, 5L);
    }

    @Test
    void nextPageWaitsUntilTheLastOneIsInTheLog() {
        shard.logsAtOnce = false;
        queue(AT_LEAST_ONCE, 150);
        leave(0);
        assertThat(moved()).hasSize(100);
        shard.makeDurable();
        assertThat(moved()).hasSize(150);
    }

    @Test
    void leftMessagesCountForNoLimitWhileTheyAreMoved() {
        queue(AT_LEAST_ONCE, 500);
        shard.save();
        long session = shard.fold(cleanStart("a", 8));
        shard.fold(publish("m", member("a", session, AT_LEAST_ONCE)));
        shard.store.answerAll();
        assertThat(shard.dropped).isEmpty();
        assertThat(moved()).hasSize(500);
    }

    @Test
    void othersMoveLaterWhenTheChoiceOfAMemberFails() {
        queue(AT_LEAST_ONCE, 3);
        shard.choicesUntilFailure = 2;
        leave(0);
        assertThat(moved()).containsExactly(1L, 2L);
        shard.redistributions.forEach(shard::fold);
        for (int i = 0; i < 8; i++) { // more than there may be passes at once
            shard.nowMillis += 1000;
            shard.redistributor.retry();
        }
        shard.choicesUntilFailure = Integer.MAX_VALUE;
        shard.nowMillis += 1000;
        shard.redistributor.retry();
        assertThat(moved()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void messagesMoveLaterWhenAMemberComesOnline() {
        shard.otherMember = null;
        queue(AT_LEAST_ONCE, 3);
        leave(0);
        shard.nowMillis += 1000;
        shard.redistributor.retry();
        shard.otherMember = member("b", 1, AT_LEAST_ONCE);
        shard.nowMillis += 1000;
        shard.redistributor.retry();
        assertThat(moved()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void messagesMoveWhenTheyCameWhileEverybodyWasOffline() {
        shard.otherMember = null;
        leave(0);
        queue(AT_LEAST_ONCE, 2);
        shard.redistributor.retry();
        assertThat(moved()).isEmpty();
        shard.otherMember = member("b", 1, AT_LEAST_ONCE);
        shard.redistributor.retry();
        assertThat(moved()).containsExactly(1L, 2L);
    }

    @Test
    void messagesOfALoadedSessionMoveWhenAMemberIsOnline() {
        shard.otherMember = null;
        queue(AT_LEAST_ONCE, 1);
        leave(0);
        shard.otherMember = member("b", 1, AT_LEAST_ONCE);
        shard.redistributor.loaded(shard.client("a"));
        shard.nowMillis += 1000;
        shard.redistributor.retry();
        assertThat(moved()).containsExactly(1L);
    }

    @Test
    void sessionMayEndWhenItsMessagesAreOnTheirWay() {
        queue(AT_LEAST_ONCE, 150);
        shard.otherMember = null;
        leave(0);
        shard.otherMember = member("b", 1, AT_LEAST_ONCE);
        shard.redistributor.ending(shard.client("a"), () -> ended = shard.redistributions.size(), () -> {});
        assertThat(moved()).hasSize(150);
        assertThat(ended).isEqualTo(2);
    }

    @Test
    void sessionDoesNotEndWhenItsQueueCouldNotBeRead() {
        queue(AT_LEAST_ONCE, 1);
        shard.save();
        shard.otherMember = null;
        leave(0);
        shard.store.answerAll();
        boolean[] failed = new boolean[1];
        shard.redistributor.ending(shard.client("a"), () -> ended = 1, () -> failed[0] = true);
        shard.store.fail();
        assertThat(ended).isZero();
        assertThat(failed[0]).isTrue();
    }

    private void queue(QoS qos, int count) {
        for (int i = 0; i < count; i++) {
            shard.fold(publish("m", member("a", 1, qos)));
        }
    }

    private void leave(long sentUpTo) {
        shard.fold(detach("a", 1, sentUpTo));
    }

    private List<Long> moved() {
        return shard.redistributions.stream()
                .flatMap(one -> one.moved().stream())
                .map(MovedMessage::sequence)
                .toList();
    }
}
