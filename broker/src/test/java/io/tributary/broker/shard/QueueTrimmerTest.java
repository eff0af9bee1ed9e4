package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.TenantNames;
import org.junit.jupiter.api.Test;

class QueueTrimmerTest {
    private DeliveryFixture shard = DeliveryFixture.of(2, 3, Overflow.DROP_OLDEST);

    @Test
    void oldestMessageIsDroppedWhenTheQueueIsFull() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2", "3", "4");
        assertThat(shard.dropped).containsExactly("QUEUE_FULL");
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 2 3");
    }

    @Test
    void newestMessageIsDroppedWhenTheQueueIsFull() {
        shard = DeliveryFixture.of(9, 3, Overflow.DROP_NEWEST);
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2", "3", "4");
        assertThat(shard.dropped).containsExactly("QUEUE_FULL");
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 1 2 3");
    }

    @Test
    void messageIsDroppedWhenTheQueuesOfItsTenantAreFullUnlessItIsSentAtOnce() {
        String here = TenantNames.clientId("acme", "here");
        String away = TenantNames.clientId("acme", "away");
        long size = message("1").sizeBytes();
        shard = DeliveryFixture.of(1, 9, Overflow.DROP_OLDEST);
        shard.fold(attach(here, 7), attach(away, 8), detach(away, 2, 0));
        TenantShare share = shard.shares.all().iterator().next();
        assertThat(share.tenant()).isEqualTo("acme");
        share.mostQueuedBytes(2 * size);
        shard.publish(away, "1", "2", "3");
        assertThat(shard.dropped).containsExactly("TENANT_QUEUES_FULL");
        shard.publish(here, "4", "5");
        assertThat(shard.dropped).containsExactly("TENANT_QUEUES_FULL", "TENANT_QUEUES_FULL");
        assertThat(shard.target.take()).containsExactly("7: 1");
        share.mostQueuedBytes(Long.MAX_VALUE);
        shard.publish(away, "6");
        assertThat(shard.dropped).hasSize(2);
        shard.fold(attach(away, 9));
        assertThat(shard.target.take()).containsExactly("9: 1");
    }

    @Test
    void newestMessageIsPassedOverWhenItsClientIsConnected() {
        shard = DeliveryFixture.of(1, 2, Overflow.DROP_NEWEST);
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3");
        shard.settle("a", 1);
        shard.publish("a", "4");
        shard.settle("a", 2);
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 2", "7: 4");
    }

    @Test
    void messagesInFlightStayWhenTheQueueIsFull() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3", "4");
        shard.settle("a", 1, 2);
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 2", "7: 4");
        assertThat(shard.dropped).hasSize(1);
    }

    /**
     * As long as it is not known what was acknowledged, messages that were not sent stay, too; then they are looked at.
     */
    @Test
    void messagesThatWereHandedButNotSentAreDroppedWhenAcknowledgementsAreWaitedForNoLonger() {
        shard.target.answers = true;
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2");
        shard.fold(detach("a", 1, 0));
        shard.publish("a", "3", "4");
        shard.allSettled("a", 1);
        shard.publish("a", "5");
        shard.target.take();
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 2 4");
    }

    @Test
    void messagesThatWereSentStayWhenTheQueueIsFull() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2");
        shard.fold(detach("a", 1, 2));
        shard.publish("a", "3", "4", "5");
        shard.target.take();
        shard.fold(attach("a", 8));
        shard.settle("a", 1, 2);
        assertThat(shard.target.take()).containsExactly("8: 1 dup 2 dup", "8: 5");
        assertThat(shard.dropped).hasSize(2);
    }

    @Test
    void newMessageIsDroppedWhenAllOthersAreInFlight() {
        shard = DeliveryFixture.of(9, 2, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3");
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 2");
        assertThat(shard.dropped).hasSize(1);
    }

    @Test
    void oldestMessagesAreDroppedWhenTheQueueHasTooManyBytes() {
        shard = new DeliveryFixture(DeliveryFixture.config(9, new QueueLimits(100, 2000, Overflow.DROP_OLDEST)));
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "x".repeat(900), "y".repeat(900), "z".repeat(900));
        assertThat(shard.dropped).hasSize(1);
        assertThat(shard.deliveries.view.bytesOf(shard.client("a")))
                .isEqualTo(2L * message("y".repeat(900)).sizeBytes());
    }

    @Test
    void storedMessagesAreDroppedWhenRead() {
        shard.keepNothing();
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2", "3");
        shard.save();
        shard.publish("a", "4", "5");
        assertThat(shard.dropped).isEmpty();
        shard.store.answerAll();
        assertThat(shard.dropped).hasSize(2);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isEqualTo(3);
    }

    @Test
    void whatWasLookedThroughIsNotReadAgain() {
        shard.keepNothing();
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2", "3");
        shard.save();
        for (int i = 4; i <= 6; i++) {
            shard.publish("a", String.valueOf(i));
            shard.store.answerAll();
        }
        assertThat(shard.dropped).hasSize(3);
        assertThat(shard.store.queueReads).containsExactly(1L, 2L, 3L);
    }

    @Test
    void whatAClientWasHandedAndNotSentIsTheOldestOnceItHasGone() {
        shard.keepNothing();
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3");
        shard.save();
        shard.publish("a", "4");
        assertThat(shard.store.waiting())
                .as("the oldest unseen messages are being read")
                .isEqualTo(1);
        shard.fold(detach("a", 1, 0));
        shard.store.answerAll();
        assertThat(shard.dropped).hasSize(1);
        shard.target.take();
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 2 3");
    }

    @Test
    void whatIsBeingReadForAClientIsNotDropped() {
        shard.keepNothing();
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3");
        shard.save();
        shard.settle("a", 1, 2);
        assertThat(shard.store.waiting())
                .as("the client's next messages are being read")
                .isEqualTo(1);
        shard.publish("a", "4", "5", "6");
        shard.store.answerAll();
        assertThat(shard.dropped).hasSize(1);
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 2", "7: 3 4");
        shard.settle("a", 3, 4);
        assertThat(shard.target.take()).containsExactly("7: 6");
    }

    @Test
    void clientIsHandedWhatIsLeftBehindWhatWasDropped() {
        shard.keepNothing();
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3", "4", "5");
        shard.save();
        shard.publish("a", "6");
        shard.store.answerAll();
        assertThat(shard.dropped).as("3, 4 and 5").hasSize(3);
        shard.store.queueReads.clear();
        shard.settle("a", 1, 2);
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 2", "7: 6");
        assertThat(shard.store.queueReads).isEmpty();
    }

    @Test
    void trimmingIsTriedAgainWhenTheStoreFailed() {
        shard.keepNothing();
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2", "3");
        shard.save();
        shard.publish("a", "4");
        shard.store.fail();
        shard.publish("a", "5");
        shard.store.answerAll();
        assertThat(shard.dropped).hasSize(2);
    }

    @Test
    void nothingIsTouchedWhenTheSessionEndsMeanwhile() {
        shard.keepNothing();
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2", "3");
        shard.save();
        shard.publish("a", "4");
        shard.fold(Samples.cleanStart("a", 8));
        shard.publish("a", "new");
        shard.store.answerAll();
        assertThat(shard.dropped).isEmpty();
        assertThat(shard.deliveries.view.messagesOf(shard.client("a"))).isEqualTo(1);
    }

    // Without the store.

    @Test
    void storedMessagesOfAnOfflineClientAreDroppedWithoutReadingThem() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2", "3");
        shard.save();
        shard.publish("a", "4", "5");
        assertThat(shard.dropped).hasSize(2);
        assertThat(shard.store.queueReads).isEmpty();
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isEqualTo(3);
        assertThat(shard.client("a").queuedBytes()).isEqualTo(3L * message("1").sizeBytes());
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 3 4");
    }

    @Test
    void storedMessagesOfAConnectedClientAreDroppedAndHandedWithoutReadingThem() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3");
        shard.save();
        shard.publish("a", "4", "5");
        shard.save();
        assertThat(shard.dropped).hasSize(2);
        shard.settle("a", 1, 2);
        shard.settle("a", 5);
        shard.log();
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 2", "7: 5");
        assertThat(shard.store.queueReads).isEmpty();
        assertThat(shard.client("a").queuedMessages()).isZero();
        assertThat(shard.client("a").queuedBytes()).isZero();
    }

    /** The log answers late: what is dropped is counted and gone all the same. */
    @Test
    void queueIsWithinItsLimitAtAnyMomentWhenTheLogIsLate() {
        shard = DeliveryFixture.of(10, 100, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7));
        for (int i = 1; i <= 5000; i++) {
            shard.publish("a", String.valueOf(i));
            if (i % 700 == 0) {
                shard.save();
            }
            assertThat(shard.deliveries.view.messagesOf(shard.client("a"))).isLessThanOrEqualTo(100);
        }
        assertThat(shard.store.queueReads).isEmpty();
        assertThat(shard.dropped).hasSize(4900);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isEqualTo(100);
        for (int i = 1; i <= 10; i++) {
            shard.settle("a", i);
        }
        assertThat(shard.target.take())
                .as("the oldest that are left come next")
                .containsSubsequence("7: 10", "7: 4911 4912 4913");
    }

    /** Only what was queued since the owner looks is known to it: what is older is read first. */
    @Test
    void olderMessagesAreReadAndDroppedBeforeThoseThatAreKnown() {
        shard.keepNothing();
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2");
        shard.save();
        shard.keepAgain();
        shard.publish("a", "3");
        shard.save();
        shard.publish("a", "4", "5", "6");
        assertThat(shard.dropped).isEmpty();
        shard.store.answerAll();
        assertThat(shard.dropped).hasSize(3);
        assertThat(shard.store.queueReads).containsExactly(1L, 2L);
        shard.log();
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 4 5");
    }

    @Test
    void longQueueOfAnOfflineClientIsForgottenWhenThereIsNoMemoryForIt() {
        shard.keepNothing();
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2", "3");
        assertThat(shard.deliveries.sessions()).isZero();
    }

    // What waited while the shard stood still.

    @Test
    void connectedClientGetsAllThatWaitedWhileTheShardStoodStill() {
        shard.fold(attach("a", 7));
        standStill();
        shard.publish("a", "1", "2", "3", "4", "5", "6", "7");
        assertThat(shard.dropped).isEmpty();
        for (int sequence = 1; sequence <= 7; sequence++) {
            shard.settle("a", sequence);
        }
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 2", "7: 3", "7: 4", "7: 5", "7: 6", "7: 7");
    }

    @Test
    void whatComesLaterCountsAsEver() {
        shard.fold(attach("a", 7));
        standStill();
        shard.publish("a", "1", "2", "3", "4", "5", "6");
        pass(2000);
        shard.publish("a", "7", "8");
        assertThat(shard.dropped).isEmpty();
        shard.publish("a", "9");
        assertThat(shard.dropped)
                .as("the limit of 3, and 5 that came when the queue was half full")
                .hasSize(1);
    }

    @Test
    void limitIsThatOfTheQueueAgainWhenTheBacklogIsTaken() {
        shard.fold(attach("a", 7));
        standStill();
        shard.publish("a", "1", "2", "3", "4", "5", "6");
        shard.settle("a", 1, 2);
        shard.settle("a", 3, 4);
        shard.settle("a", 5, 6);
        pass(2000);
        shard.publish("a", "7", "8", "9");
        assertThat(shard.dropped).isEmpty();
        shard.publish("a", "10");
        assertThat(shard.dropped).hasSize(1);
    }

    @Test
    void offlineClientHasItsLimitWhenTheShardStoodStill() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        standStill();
        shard.publish("a", "1", "2", "3", "4");
        assertThat(shard.dropped).hasSize(1);
    }

    @Test
    void clientThatTakesNothingHasItsLimitAfterAWhile() {
        shard.fold(attach("a", 7));
        standStill();
        shard.publish("a", "1", "2", "3", "4", "5", "6");
        pass(1000);
        pass(Backlogs.PATIENCE_MILLIS - 1);
        shard.publish("a", "7");
        assertThat(shard.dropped).isEmpty();
        pass(1000);
        shard.publish("a", "8");
        assertThat(shard.dropped).as("all but the two in flight and one").hasSize(5);
    }

    @Test
    void clientThatWentAwayHasItsLimitAfterAMinute() {
        shard.fold(attach("a", 7));
        standStill();
        shard.publish("a", "1", "2", "3", "4", "5", "6");
        pass(1000);
        shard.fold(detach("a", 1, 0));
        pass(1000);
        pass(Backlogs.ABSENCE_MILLIS - 1);
        shard.publish("a", "7");
        assertThat(shard.dropped).isEmpty();
        pass(1000);
        shard.publish("a", "8");
        assertThat(shard.dropped).hasSize(5);
    }

    @Test
    void queueOfASessionThatIsLoadedDoesNotCount() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2", "3");
        shard.backlogs.loaded(shard.client("a"));
        shard.publish("a", "4", "5", "6");
        assertThat(shard.dropped).isEmpty();
        shard.publish("a", "7");
        assertThat(shard.dropped).hasSize(1);
    }

    /** Those that come while the shard is late have waited, too, however slowly it catches up. */
    @Test
    void whatComesWhileTheShardIsLateDoesNotCount() {
        shard.fold(attach("a", 7));
        standStill();
        int taken = 0;
        for (int late = 60_000; late > 3000; late -= 800) { // 1.4 times as fast as time passes
            shard.publish("a", "m", "m");
            shard.settle("a", ++taken);
            pass(2000, late);
        }
        assertThat(shard.dropped).isEmpty();
        pass(2000, 10);
        pass(2000, 10);
        shard.publish("a", "1", "2", "3", "4");
        assertThat(shard.dropped).isNotEmpty();
    }

    @Test
    void whatComesAfterAPauseOfTheShardsThreadDoesNotCount() {
        shard.fold(attach("a", 7));
        standStill();
        shard.nowMillis += 4000;
        shard.backlogs.tick(shard.nowMillis);
        shard.publish("a", "1", "2", "3", "4", "5", "6");
        assertThat(shard.dropped).isEmpty();
    }

    @Test
    void shardThatDoesNotCatchUpCountsAsCaughtUp() {
        shard.fold(attach("a", 7));
        standStill();
        pass(2000, 20_000);
        pass(Backlogs.PROGRESS_MILLIS, 20_000);
        shard.publish("a", "1", "2", "3", "4");
        assertThat(shard.dropped).hasSize(1);
    }

    private void standStill() {
        shard.backlogs.folded(shard.nowMillis, 0);
        shard.backlogs.standsStill(shard.nowMillis);
    }

    private void pass(long millis) {
        pass(millis, 0);
    }

    /** Lets time pass until a record is folded that was appended so long ago. */
    private void pass(long millis, long lateMillis) {
        shard.nowMillis += millis;
        shard.backlogs.folded(shard.nowMillis - lateMillis, lateMillis);
        shard.backlogs.tick(shard.nowMillis);
    }
}
