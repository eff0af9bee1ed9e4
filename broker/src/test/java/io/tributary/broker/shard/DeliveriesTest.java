package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.cleanStart;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.message;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DeliveriesTest {
    private static final int SIZE = message("m").sizeBytes();

    private final DeliveryFixture shard = DeliveryFixture.of(3, 100, Overflow.DROP_OLDEST);

    @Test
    void messageIsHandedOverWhenQueued() {
        shard.fold(attach("a", 7));
        shard.publish("a", "m");
        assertThat(shard.target.take()).containsExactly("7: 1");
    }

    @Test
    void messagesOfOneTurnAreOneBatch() {
        shard.fold(attach("a", 7));
        shard.fold(Samples.publish("1", recipient("a", 1)), Samples.publish("2", recipient("a", 1)));
        assertThat(shard.target.take()).containsExactly("7: 1 2");
    }

    @Test
    void queueIsHandedOverWhenResumed() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2");
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 1 2");
    }

    @Test
    void windowIsKept() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3", "4", "5");
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 2", "7: 3");
        shard.settle("a", 2);
        assertThat(shard.target.take()).containsExactly("7: 4");
        shard.settle("a", 1, 3);
        assertThat(shard.target.take()).containsExactly("7: 5");
    }

    @Test
    void windowIsKeptInBytes() {
        DeliveryFixture wide = DeliveryFixture.of(100, 100, Overflow.DROP_OLDEST);
        wide.fold(attach("a", 7));
        wide.publish("a", "x".repeat(1000), "1", "2");
        assertThat(wide.target.take()).containsExactly("7: 1");
        wide.settle("a", 1);
        assertThat(wide.target.take()).containsExactly("7: 2 3");
    }

    @Test
    void transientSessionIsHandedNothing() {
        shard.fold(attach("a", 7, 0, null));
        shard.publish("a", "1");
        assertThat(shard.target.take()).isEmpty();
    }

    @Test
    void queueIsHandedOverWhenResumedForTheLastTime() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1");
        shard.fold(attach("a", 8, 0, null));
        shard.publish("a", "2");
        assertThat(shard.target.take()).containsExactly("8: 1", "8: 2");
    }

    /** The node of the connection is dead, and does not say what it has sent. */
    @Test
    void onlyWhatTheOwnerHasHandedIsMaybeSentWhenNobodySaysMore() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3", "4", "5");
        shard.target.take();
        shard.fold(detach("a", 1, -1));
        shard.publish("a", "6");
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 1 dup 2 dup 3 dup");
        shard.settle("a", 1, 2, 3);
        assertThat(shard.target.take()).containsExactly("8: 4 5 6");
    }

    /** What may be in flight from an owner before, this one cannot tell. */
    @Test
    void allIsMaybeSentThatAnOwnerBeforeMayHaveHandedWhenNobodySaysMore() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3", "4", "5");
        shard.deliveries.resumed(shard.client("a"), 5);
        shard.deliveries.flush();
        shard.publish("a", "6");
        shard.target.take();
        shard.fold(detach("a", 1, -1), attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 1 dup 2 dup 3 dup");
        shard.settle("a", 1, 2, 3);
        assertThat(shard.target.take()).containsExactly("8: 4 dup 5 dup 6");
    }

    /** The next connection may have been handed more than the one before. */
    @Test
    void whatTheNextConnectionWasHandedIsMaybeSentWhenNobodySaysMoreOfBoth() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3", "4", "5", "6");
        shard.fold(detach("a", 1, -1));
        long next = shard.fold(attach("a", 8));
        shard.settle("a", 1, 2);
        shard.fold(detach("a", next, -1), attach("a", 9));
        shard.target.take();
        shard.settle("a", 3, 4, 5);
        assertThat(shard.target.take()).containsExactly("9: 6");
    }

    // Acknowledgements that are on their way from another node while its connection is gone.

    @Test
    void whatTheConnectionBeforeHasAcknowledgedIsWaitedForWhenTakenOver() {
        shard.target.answers = true;
        long epoch = shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3");
        shard.target.take();
        shard.fold(attach("a", 8));
        shard.publish("a", "4");
        assertThat(shard.target.take()).containsExactly("asked for all that a/1 settled");
        shard.deliveries.settle("a", epoch, new long[] {1, 2});
        shard.allSettled("a", epoch);
        assertThat(shard.target.take()).containsExactly("8: 3 dup 4");
        shard.settle("a", 3, 4);
        assertThat(shard.deliveries.view.messagesOf(shard.client("a"))).isZero();
    }

    @Test
    void whatAConnectionHasAcknowledgedIsWaitedForWhenItIsGone() {
        shard.target.answers = true;
        long epoch = shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3");
        shard.target.take();
        shard.fold(detach("a", epoch, 3));
        shard.publish("a", "4");
        long next = shard.fold(attach("a", 8));
        shard.allSettled("a", next); // not the one that was asked about
        assertThat(shard.target.take()).containsExactly("asked for all that a/1 settled");
        shard.deliveries.settle("a", epoch, new long[] {3});
        shard.allSettled("a", epoch);
        assertThat(shard.target.take()).containsExactly("8: 1 dup 2 dup 4");
    }

    @Test
    void acknowledgementsThatCameBeforeTheClientCameBackCount() {
        shard.target.answers = true;
        long epoch = shard.fold(attach("a", 7));
        shard.publish("a", "1", "2");
        shard.fold(detach("a", epoch, 2));
        shard.deliveries.settle("a", epoch, new long[] {1});
        shard.allSettled("a", epoch);
        shard.deliveries.settle("a", epoch, new long[] {2}); // behind the last: who says so now is not heard
        shard.target.take();
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 2 dup");
    }

    @Test
    void nothingIsWaitedForWhenAllIsAcknowledged() {
        shard.target.answers = true;
        shard.fold(attach("a", 7));
        shard.publish("a", "1");
        shard.settle("a", 1);
        shard.target.take();
        shard.fold(attach("a", 8));
        shard.publish("a", "2");
        assertThat(shard.target.take()).containsExactly("8: 2");
    }

    @Test
    void acknowledgementsAreWaitedForHalfASecond() {
        shard.target.answers = true;
        shard.fold(attach("a", 7));
        shard.publish("a", "1");
        shard.target.take();
        shard.fold(attach("a", 8));
        for (int i = 1; i < 5; i++) {
            shard.deliveries.tick();
        }
        shard.deliveries.flush();
        assertThat(shard.target.take()).containsExactly("asked for all that a/1 settled");
        shard.deliveries.tick();
        shard.deliveries.flush();
        assertThat(shard.target.take()).containsExactly("8: 1 dup");
        shard.allSettled("a", 1);
        assertThat(shard.target.take()).isEmpty();
    }

    @Test
    void lastConnectionIsServedWhenSeveralHaveComeMeanwhile() {
        shard.target.answers = true;
        long epoch = shard.fold(attach("a", 7));
        shard.publish("a", "1", "2");
        shard.target.take();
        long second = shard.fold(attach("a", 8));
        shard.fold(detach("a", second, 0));
        shard.fold(attach("a", 9));
        shard.deliveries.settle("a", epoch, new long[] {1});
        shard.allSettled("a", epoch);
        assertThat(shard.target.take()).containsExactly("asked for all that a/1 settled", "9: 2 dup");
    }

    @Test
    void nobodyIsServedWhenTheLastConnectionIsGoneMeanwhile() {
        shard.target.answers = true;
        long epoch = shard.fold(attach("a", 7));
        shard.publish("a", "1", "2");
        long second = shard.fold(attach("a", 8));
        shard.fold(detach("a", second, 0));
        shard.target.take();
        shard.allSettled("a", epoch);
        assertThat(shard.target.take()).isEmpty();
        shard.fold(attach("a", 9));
        assertThat(shard.target.take()).containsExactly("9: 1 dup 2 dup");
    }

    @Test
    void nothingIsWaitedForWhenTheSessionIsOver() {
        shard.target.answers = true;
        long epoch = shard.fold(attach("a", 7));
        shard.publish("a", "1");
        shard.target.take();
        shard.fold(cleanStart("a", 8));
        shard.publish("a", "2");
        assertThat(shard.target.take()).containsExactly("8: 1");
        shard.deliveries.settle("a", epoch, new long[] {1});
        shard.allSettled("a", epoch);
        assertThat(shard.target.take()).isEmpty();
    }

    @Test
    void receiptThatComesLateMakesItARelease() {
        shard.target.answers = true;
        long epoch = shard.fold(attach("a", 7));
        shard.fold(Samples.publish("1", new Recipient("a", 1, QoS.EXACTLY_ONCE, false, List.of(), null)));
        shard.target.take();
        shard.fold(attach("a", 8));
        shard.deliveries.received("a", epoch, new long[] {1});
        shard.log();
        shard.allSettled("a", epoch);
        assertThat(shard.target.take()).contains("8: 1 PUBREL").doesNotContain("8: 1 dup");
    }

    /** Nobody else has it yet, for the connection that came then was not served. */
    @Test
    void refusalThatComesLateCounts() {
        shard.target.answers = true;
        long epoch = shard.fold(attach("a", 7));
        shard.fold(Samples.publish("1", new Recipient("a", 1, QoS.EXACTLY_ONCE, false, List.of(), null)));
        shard.fold(attach("a", 8));
        shard.target.take();
        shard.deliveries.settle("a", epoch, new long[] {1});
        shard.allSettled("a", epoch);
        assertThat(shard.target.take()).isEmpty();
        assertThat(shard.deliveries.view.messagesOf(shard.client("a"))).isZero();
    }

    @Test
    void nobodyWaitsForRoomInAWindowThatIsGone() {
        shard.target.answers = true;
        long epoch = shard.fold(attach("a", 7));
        shard.publish("a", "1", "2", "3", "4");
        shard.deliveries.settle("a", epoch, new long[0]);
        assertThat(shard.deliveries.isWaitingForRoom()).isTrue();
        shard.fold(detach("a", epoch, 3));
        assertThat(shard.deliveries.isWaitingForRoom()).isFalse();
        shard.deliveries.settle("a", epoch, new long[] {1});
        assertThat(shard.deliveries.isWaitingForRoom()).isFalse();
    }

    @Test
    void pageThatComesLateIsReadAgainForTheNextConnection() {
        shard.target.answers = true;
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2", "3", "4");
        shard.save();
        long epoch = shard.fold(attach("a", 8));
        shard.store.answerAll();
        shard.settle("a", 1); // another page is on its way
        shard.target.take();
        shard.fold(attach("a", 9));
        shard.store.answerAll();
        shard.deliveries.settle("a", epoch, new long[] {2});
        shard.allSettled("a", epoch);
        shard.store.answerAll();
        assertThat(shard.target.take())
                .containsExactly("asked for all that a/" + epoch + " settled", "9: 3 dup", "9: 4");
    }

    // DUP.

    @Test
    void onlyWhatWasSentCarriesDupWhenResumed() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2");
        shard.fold(detach("a", 1, 1));
        shard.target.take();
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 1 dup 2");
    }

    @Test
    void onlyWhatWasHandedOverCarriesDupWhenTakenOver() {
        DeliveryFixture narrow = DeliveryFixture.of(1, 100, Overflow.DROP_OLDEST);
        narrow.fold(attach("a", 7));
        narrow.publish("a", "1", "2");
        narrow.target.take();
        narrow.fold(attach("a", 8));
        narrow.settle("a", 1);
        assertThat(narrow.target.take()).containsExactly("8: 1 dup", "8: 2");
    }

    @Test
    void nothingCarriesDupWhenTheOwnerIsNewAndTheConnectionIsNot() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2");
        shard.target.take();
        shard.deliveries.resumed(shard.client("a"), shard.client("a").lastSequence());
        shard.deliveries.flush();
        assertThat(shard.target.take()).containsExactly("7: 1 2");
    }

    // Acknowledgements.

    @Test
    void acknowledgementsAreLoggedOnce() {
        shard.fold(attach("a", 7));
        shard.publish("a", "m", "m");
        shard.settle("a", 1, 2);
        shard.settle("a", 1);
        assertThat(shard.deliveries.takeSettled(0))
                .usingRecursiveComparison()
                .isEqualTo(List.of(new Settled(0, List.of(Samples.settled("a", 1, "m", 1, 2)), List.of())));
        assertThat(shard.deliveries.takeSettled(0)).isEmpty();
    }

    @Test
    void acknowledgementCountsWhenOfAnOlderConnection() {
        shard.fold(attach("a", 7));
        shard.publish("a", "m");
        shard.fold(attach("a", 8));
        shard.deliveries.settle("a", 1, new long[] {1});
        assertThat(shard.deliveries.view.messagesOf(shard.client("a"))).isZero();
    }

    @Test
    void acknowledgementIsIgnoredWhenOfAnOlderSession() {
        shard.fold(attach("a", 7));
        shard.publish("a", "m");
        shard.fold(cleanStart("a", 8));
        shard.publish("a", "m");
        shard.deliveries.settle("a", 1, new long[] {1});
        shard.deliveries.received("a", 1, new long[] {1});
        assertThat(shard.deliveries.toBeLogged.isEmpty()).isTrue();
    }

    @Test
    void acknowledgementIsIgnoredWhenNothingWasHandedOver() {
        shard.fold(attach("a", 7));
        shard.settle("a", 1);
        shard.receive("a", 1);
        shard.deliveries.settle("b", 1, new long[] {1});
        assertThat(shard.deliveries.toBeLogged.isEmpty()).isTrue();
    }

    @Test
    void settledIsNotHandedOverAgainWhenTakenOverBeforeItIsLogged() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2");
        shard.settle("a", 1);
        shard.target.take();
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 2 dup");
    }

    @Test
    void queueCountsAsShorterWhenSettledBeforeItIsLogged() {
        shard.fold(attach("a", 7));
        shard.publish("a", "m", "m");
        shard.settle("a", 1);
        assertThat(shard.deliveries.view.messagesOf(shard.client("a"))).isEqualTo(1);
        assertThat(shard.deliveries.view.bytesOf(shard.client("a"))).isEqualTo(SIZE);
        shard.log();
        assertThat(shard.deliveries.view.messagesOf(shard.client("a"))).isEqualTo(1);
        assertThat(shard.client("a").queuedMessages()).isEqualTo(1);
    }

    @Test
    void recordsAreBoundedWhenMuchIsSettled() {
        DeliveryFixture wide = DeliveryFixture.of(30_000, 60_000, Overflow.DROP_OLDEST);
        for (String client : List.of("a", "b", "c")) {
            long session = wide.fold(attach(client, 7));
            for (int i = 0; i < 12_000; i++) {
                wide.fold(Samples.publish("", recipient(client, session)));
                wide.deliveries.settle(client, session, new long[] {i + 1});
            }
        }
        List<Settled> records = wide.deliveries.takeSettled(0);
        assertThat(records).hasSize(2);
        assertThat(records.stream()
                        .flatMap(record -> record.clients().stream())
                        .mapToInt(client -> client.settled().length)
                        .sum())
                .isEqualTo(36_000);
    }

    // QoS 2.

    @Test
    void pubrelMayBeSentWhenThePubrecIsLogged() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1");
        shard.target.take();
        shard.receive("a", 1);
        assertThat(shard.deliveries.toBeLogged.isUrgent()).isTrue();
        assertThat(shard.target.take()).isEmpty();
        shard.log();
        assertThat(shard.target.take()).containsExactly("7: received [1]");
        assertThat(shard.deliveries.toBeLogged.isUrgent()).isFalse();
    }

    @Test
    void pubrelMayBeSentThoughAnOlderConnectionHadDroppedTheMessage() {
        shard.fold(attach("a", 7));
        shard.fold(Samples.publish("1", new Recipient("a", 1, QoS.EXACTLY_ONCE, false, List.of(), null)));
        shard.fold(attach("a", 8)); // which sends it, as the owner cannot know whether the one before has
        shard.target.take();
        shard.deliveries.settle("a", 1, new long[] {1}); // it has not, for it had expired
        assertThat(shard.deliveries.toBeLogged.isEmpty()).isTrue();
        shard.receive("a", 1);
        shard.log();
        assertThat(shard.target.take()).containsExactly("8: received [1]");
        shard.settle("a", 1);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
    }

    @Test
    void onlyPubrelIsOwedWhenResumedAfterThePubrecWasLogged() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1");
        shard.receive("a", 1);
        shard.log();
        shard.fold(detach("a", 1, 1));
        shard.target.take();
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 1 PUBREL");
    }

    @Test
    void sizeIsSettledOnceWhenPubrecIsRepeatedAfterATakeover() {
        shard.fold(attach("a", 7));
        shard.publish("a", "m");
        shard.receive("a", 1);
        List<Settled> first = shard.deliveries.takeSettled(DeliveryFixture.OWNER);
        shard.fold(attach("a", 8));
        first.forEach(shard::fold);
        shard.receive("a", 1);
        List<Settled> second = shard.deliveries.takeSettled(DeliveryFixture.OWNER);
        ClientSettled repeated = second.getFirst().clients().getFirst();
        assertThat(repeated.received()).containsExactly(1);
        assertThat(repeated.settledBytes()).isZero();
    }

    // Expiry.

    @Test
    void messageIsDroppedWhenExpired() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.fold(expiring("1"), Samples.publish("2", recipient("a", 1)));
        shard.nowMillis += 1000;
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 2");
        assertThat(shard.dropped).containsExactly("EXPIRED");
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isEqualTo(1);
    }

    @Test
    void messageDoesNotExpireWhenItWasSent() {
        shard.fold(attach("a", 7));
        shard.fold(expiring("1"), detach("a", 1, 1));
        shard.target.take();
        shard.nowMillis += 1000;
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 1 dup");
    }

    @Test
    void messageDoesNotExpireWhenItMayBeInFlightUnderANewOwner() {
        shard.fold(attach("a", 7));
        shard.fold(expiring("1"));
        shard.target.take();
        shard.nowMillis += 1000;
        shard.deliveries.resumed(shard.client("a"), shard.client("a").lastSequence());
        shard.deliveries.flush();
        assertThat(shard.target.take()).containsExactly("7: 1");
    }

    // The store.

    @Test
    void storedQueueIsHandedOverWhenRead() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1", "2");
        shard.save();
        shard.publish("a", "3");
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).isEmpty();
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 1 2 3");
    }

    @Test
    void readingIsTriedAgainWhenTheStoreFails() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1");
        shard.save();
        shard.fold(attach("a", 8));
        shard.store.fail();
        assertThat(shard.store.waiting()).isZero();
        shard.deliveries.tick();
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 1");
    }

    @Test
    void readingIsNotTriedAgainWhenTheConnectionIsGone() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1");
        shard.save();
        long epoch = shard.fold(attach("a", 8));
        shard.store.fail();
        shard.fold(detach("a", epoch, 0));
        shard.deliveries.tick();
        assertThat(shard.store.waiting()).isZero();
    }

    @Test
    void pageIsForgottenWhenItsConnectionIsGone() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publish("a", "1");
        shard.save();
        long epoch = shard.fold(attach("a", 8));
        shard.fold(detach("a", epoch, 0));
        shard.store.answerAll();
        assertThat(shard.target.take()).isEmpty();
    }

    @Test
    void nothingIsKeptWhenTheSessionEnds() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1");
        shard.settle("a", 1);
        shard.fold(cleanStart("a", 8));
        assertThat(shard.deliveries.toBeLogged.isEmpty()).isTrue();
        assertThat(shard.deliveries.takeSettled(0)).isEmpty();
    }

    @Test
    void lateSettledIsIgnoredWhenTheClientHasANewSession() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1");
        shard.settle("a", 1);
        List<Settled> late = shard.deliveries.takeSettled(DeliveryFixture.OWNER);
        shard.fold(cleanStart("a", 8));
        shard.publish("a", "2");
        shard.settle("a", 1);
        late.forEach(shard::fold);
        assertThat(shard.deliveries.view.messagesOf(shard.client("a"))).isZero();
        assertThat(shard.client("a").queuedMessages()).isEqualTo(1);
    }

    @Test
    void hundredsOfMessagesArriveInOrderThroughASmallWindow() {
        shard.fold(attach("a", 7));
        for (int i = 1; i <= 90; i++) {
            shard.publish("a", "m");
        }
        for (long sequence : LongStream.rangeClosed(1, 90).toArray()) {
            shard.settle("a", sequence);
        }
        assertThat(shard.target.take())
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 90)
                        .mapToObj(sequence -> "7: " + sequence)
                        .toList());
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
        assertThat(shard.client("a").queuedBytes()).isZero();
    }

    private Publish expiring(String text) {
        Message message = message(text).withExpiry(shard.nowMillis + 500);
        return new Publish(message, List.of(recipient("a", 1)), null);
    }

    @Test
    void whatClientsSettleIsSplitWhenTheirNamesAreLong() {
        DeliveryFixture large = DeliveryFixture.of(3, 100, Overflow.DROP_OLDEST);
        String name = "x".repeat(1_000);
        int clients = 2_000;
        for (int i = 0; i < clients; i++) {
            large.fold(attach(name + i, 7));
            large.publish(name + i, "m");
            large.settle(name + i, 1);
        }
        List<Settled> records = large.deliveries.takeSettled(DeliveryFixture.OWNER);
        assertThat(records)
                .allSatisfy(record -> assertThat(EventCodec.encode(record, RecordFormat.NEWEST))
                        .hasSizeLessThan(512 << 10));
        records.forEach(large::fold);
        for (int i = 0; i < clients; i++) {
            assertThat(large.client(name + i).queuedMessages()).isZero();
        }
    }

    @Test
    void whatOneClientSettlesIsSplitWhenItIsMuch() {
        int messages = 100_000;
        DeliveryFixture large = DeliveryFixture.of(32_767, 65_535, Overflow.DROP_OLDEST);
        large.fold(attach("a", 7), detach("a", 1, 0));
        for (int i = 0; i < messages; i++) {
            large.publish("a", "");
        }
        List<Settled> records = large.deliveries.takeSettled(DeliveryFixture.OWNER);
        assertThat(records.stream().flatMap(record -> record.clients().stream()))
                .hasSizeGreaterThan(2)
                .allMatch(client -> client.settled().length <= 10_000);
        long queued = large.deliveries.view.messagesOf(large.client("a"));
        long bytes = large.deliveries.view.bytesOf(large.client("a"));
        for (Settled record : records) {
            large.fold(record);
            assertThat(large.deliveries.view.messagesOf(large.client("a"))).isEqualTo(queued);
            assertThat(large.deliveries.view.bytesOf(large.client("a"))).isEqualTo(bytes);
        }
        assertThat(large.client("a").queuedMessages()).isEqualTo(queued);
    }
}
