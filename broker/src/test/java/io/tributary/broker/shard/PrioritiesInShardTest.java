package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.mqtt.QoS;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a session's owner does with messages of different priorities. */
class PrioritiesInShardTest {
    private DeliveryFixture shard = DeliveryFixture.of(1, 100, Overflow.DROP_OLDEST);

    private void detachAfter(long epoch, SentUpTo sent) {
        shard.fold(new Detach("a", epoch, true, Samples.FOREVER, sent));
    }

    @Test
    void messageWaitsForNoneOfLowerPriorityWhenSessionIsBehind() {
        shard.fold(attach("a", 7));
        shard.publishOf("a", 0, 0, 2, 3, 0, 3);
        shard.settle("a", 1);
        shard.settle("a", 4);
        shard.settle("a", 6);
        shard.settle("a", 3);
        shard.settle("a", 2);
        shard.settle("a", 5);
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 3", "7: 4", "7: 2", "7: 6", "7: 5");
        shard.publishOf("a", 0);
        shard.settle("a", 7);
        shard.publishOf("a", 3);
        assertThat(shard.target.take()).containsExactly("7: 7", "7: 8");
    }

    /** The first message with a priority is the next to be handed, and the second is of a higher one. */
    @Test
    void messageIsHandedWhenOneOfHigherPriorityOvertakesItRightAway() {
        shard.fold(attach("a", 7));
        shard.publishOf("a", 1, 1, 2);
        shard.settle("a", 1);
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 3", "7: 2");
    }

    /** The client may take nothing before the owner knows of its PUBREC for a message of the lowest priority. */
    @Test
    void newOwnerHandsOnWhatMayBeInFlightThoughMessagesOfHigherPriorityTakeAllRoom() {
        shard = DeliveryFixture.of(2, 100, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publishOf("a", 0, 0, 0, 3, 3, 3, 3);
        shard.fold(attach("a", 8));
        shard.target.take();
        shard.deliveries.resumed(shard.client("a"), 7);
        shard.deliveries.flush();
        assertThat(shard.target.take()).containsExactly("8: 4 5 1 2");
        shard.settle("a", 4, 5);
        assertThat(shard.target.take()).containsExactly("8: 6 7");
        shard.settle("a", 1, 2, 6, 7);
        assertThat(shard.target.take()).containsExactly("8: 3");
    }

    /** The same where those of higher priority come only then. */
    @Test
    void newOwnerHandsOnWhatMayBeInFlightThoughLaterMessagesTakeAllRoom() {
        shard = DeliveryFixture.of(2, 100, Overflow.DROP_OLDEST);
        shard.keepNothing();
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publishOf("a", 0, 0, 0);
        shard.save();
        shard.fold(attach("a", 8));
        shard.target.take();
        shard.deliveries.resumed(shard.client("a"), 3);
        shard.publishOf("a", 3, 3, 3);
        assertThat(shard.target.take()).containsExactly("8: 4", "8: 5");
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 1 2");
    }

    /** Nothing is kept in memory, so that all comes from the store, or from what is not saved yet. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void highestPriorityGoesFirstWhenQueueIsRead(boolean isSaved) {
        shard.keepNothing();
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publishOf("a", 0, 1, 0, 3, 2, 3);
        if (isSaved) {
            shard.save();
        }
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(handed()).containsExactly("4", "2", "1");
        shard.settle("a", 4);
        shard.store.answerAll();
        assertThat(handed()).containsExactly("6", "5");
        shard.settle("a", 1, 2);
        shard.store.answerAll();
        assertThat(handed()).containsExactly("3");
        assertThat(shard.store.queueReads).hasSizeLessThan(20);
    }

    /** What was handed since the last call. */
    private List<String> handed() {
        return shard.target.take().stream()
                .flatMap(told -> Arrays.stream(told.substring(told.indexOf(' ') + 1)
                        .replace(" dup", "-dup")
                        .split(" ")))
                .toList();
    }

    /** The window is full of messages of lower priority, of which most are not sent yet. */
    @Test
    void burstOfHighPriorityIsHandedAtOnceThoughTheWindowIsFull() {
        shard = DeliveryFixture.of(4, 100, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7));
        shard.publishOf("a", 0, 0, 0, 0, 0, 0);
        assertThat(handed()).containsExactly("1", "2", "3", "4");
        shard.publishOf("a", 3, 3, 3, 3, 3);
        assertThat(handed()).containsExactly("7", "8", "9", "10");
        shard.settle("a", 1, 2, 3, 4);
        assertThat(handed()).containsExactly("5", "6");
        shard.settle("a", 7);
        assertThat(handed()).containsExactly("11");
    }

    @Test
    void messageIsHandedAtOnceWhenOnlyThoseOfLowerPriorityWait() {
        shard = DeliveryFixture.of(3, 100, Overflow.DROP_OLDEST);
        shard.keepNothing();
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publishOf("a", 0, 0);
        shard.save();
        shard.fold(attach("a", 8)); // its page is being read
        shard.publishOf("a", 3);
        assertThat(shard.target.take()).containsExactly("8: 3");
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 1 2");
        shard.settle("a", 3, 1, 2);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
        assertThat(shard.client("a").priorityUpTo()).isZero();
    }

    @Test
    void whatWasSentAheadOfOthersHasDupWhenItIsSentAgainAndOthersHaveNot() {
        shard.fold(attach("a", 7));
        shard.publishOf("a", 0, 0, 3, 0, 3);
        shard.settle("a", 1);
        shard.target.take();
        detachAfter(1, SentUpTo.of(1, 1, 1, 3));
        assertThat(shard.client("a").resendUpTo()).isEqualTo(SentUpTo.of(1, 1, 1, 3));
        shard.save();
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(handed()).containsExactly("3-dup", "2");
        shard.settle("a", 3, 2);
        shard.store.answerAll();
        assertThat(handed()).containsExactly("5", "4");
    }

    /** The owner has handed on more than the node has sent. */
    @Test
    void nextConnectionIsHandedAgainWhatTheOneBeforeWasHandedAheadOfOthers() {
        shard = DeliveryFixture.of(2, 100, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7));
        shard.publishOf("a", 0, 0, 0, 0, 3, 3);
        shard.settle("a", 1, 2);
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 2", "7: 5", "7: 6", "7: 3 4");
        detachAfter(1, SentUpTo.all(2));
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 5 6 3 4");
    }

    @Test
    void sessionThatIsTakenOverIsHandedAgainWhatWasHandedAheadOfOthers() {
        shard = DeliveryFixture.of(2, 100, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7));
        shard.publishOf("a", 0, 0, 0, 0, 3, 3);
        shard.settle("a", 1, 2);
        shard.target.take();
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 5 dup 6 dup 3 dup 4 dup");
    }

    /** An entry of which only PUBREL is owed does not say what priority its message had. */
    @Test
    void messageHandedAheadIsNotHandedAgainWhenOnlyItsPubrelIsOwed() {
        shard = DeliveryFixture.of(2, 100, Overflow.DROP_OLDEST);
        shard.keepNothing();
        shard.fold(attach("a", 7));
        shard.publishOf("a", QoS.EXACTLY_ONCE, 0, 0, 0, 3, 3, 0);
        assertThat(handed()).containsExactly("1", "2", "4", "5");
        shard.receive("a", 4, 5);
        shard.log();
        shard.save();
        shard.target.take();
        shard.settle("a", 4); // not in the log, so that the queue has it still
        shard.settle("a", 1, 2);
        shard.store.answerAll();
        assertThat(handed()).containsExactly("3", "6");
        shard.settle("a", 3, 5, 6);
        shard.store.answerAll();
        shard.log();
        assertThat(shard.target.take()).isEmpty();
        assertThat(shard.client("a").queuedMessages()).isZero();
    }

    @Test
    void pubrelIsSentFirstWhenConnectionIsAnother() {
        shard = DeliveryFixture.of(2, 100, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7));
        shard.publishOf("a", QoS.EXACTLY_ONCE, 0, 0, 0, 3);
        shard.settle("a", 1);
        shard.receive("a", 4);
        shard.log();
        shard.target.take();
        detachAfter(1, SentUpTo.of(2, 2, 2, 4));
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 4 PUBREL 2 dup 3");
    }

    @Test
    void lowestPriorityIsDroppedFirstAndItsOldestMessageBeforeItsLater() {
        shard = DeliveryFixture.of(9, 4, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publishOf("a", 1, 0, 3, 0, 2, 0, 3, 1);
        assertThat(shard.dropped).hasSize(4);
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 3 7 5 8");
    }

    @Test
    void storedMessagesOfLowestPriorityAreDroppedFirst() {
        shard = DeliveryFixture.of(9, 4, Overflow.DROP_OLDEST);
        shard.keepNothing();
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publishOf("a", 1, 0, 3, 0);
        shard.save();
        for (int priority : new int[] {2, 0, 3, 1}) {
            shard.publishOf("a", priority);
            shard.store.answerAll();
        }
        assertThat(shard.dropped).hasSize(4);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isEqualTo(4);
        shard.save();
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 3 7", "8: 5", "8: 8");
    }

    @Test
    void newMessageIsDroppedWhenAllThatWaitHaveHigherPriorities() {
        shard = DeliveryFixture.of(9, 2, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publishOf("a", 2, 3, 1, 0, 1);
        assertThat(shard.dropped).hasSize(3);
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 2 1");
    }

    @Test
    void messageOfHigherPriorityTakesThePlaceOfALowerOneWhenTheNewestAreDropped() {
        shard = DeliveryFixture.of(9, 3, Overflow.DROP_NEWEST);
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publishOf("a", 0, 1, 0, 0, 1, 3, 1, 3);
        assertThat(shard.dropped).hasSize(5);
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 6 8 5");
    }

    @Test
    void whatWasSentAheadOfOthersIsNotDropped() {
        shard = DeliveryFixture.of(2, 3, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7));
        shard.publishOf("a", 0, 0, 0);
        shard.settle("a", 1);
        shard.target.take();
        shard.log();
        shard.publishOf("a", 3);
        shard.settle("a", 2);
        assertThat(shard.target.take()).containsExactly("7: 4");
        shard.publishOf("a", 0, 0, 0);
        detachAfter(1, SentUpTo.of(3, 3, 3, 4));
        shard.publishOf("a", 3, 3, 3);
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("7: 5", "8: 4 dup 10 3 dup");
    }

    /** What was handed to a connection cannot make room, so it is never all of a queue. */
    @Test
    void oldestMessagesThatWaitMakeRoomWhenConnectedClientStalls() {
        shard = DeliveryFixture.of(100, 40, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7));
        shard.publishOf("a", new int[40]);
        shard.target.take();
        assertThat(shard.dropped).isEmpty();
        shard.publishOf("a", new int[7]);
        assertThat(shard.dropped).hasSize(7);
        shard.settle("a", LongStream.rangeClosed(1, 20).toArray());
        assertThat(String.join(" ", shard.target.take())).startsWith("7: 28").contains("47");
    }

    /** Half of the queue is handed before there are others than of priority 0, and an eighth of each of those. */
    @Test
    void alarmFindsRoomWhenConnectedClientStallsWithMessagesOfAllPriorities() {
        shard = DeliveryFixture.of(100, 40, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7));
        shard.publishOf("a", new int[20]);
        for (int priority = 1; priority <= 3; priority++) {
            int[] some = new int[8];
            Arrays.fill(some, priority);
            shard.publishOf("a", some);
        }
        assertThat(shard.target.take().stream()
                        .flatMap(line -> Stream.of(line.substring(3).split(" ", -1))))
                .hasSize(20 + 5 + 5 + 5);
        assertThat(shard.dropped).hasSize(4);
        shard.publishOf("a", 3);
        assertThat(shard.dropped).hasSize(5);
        shard.settle("a", LongStream.rangeClosed(37, 41).toArray());
        assertThat(String.join(" ", shard.target.take())).contains("42").contains("45");
    }

    @Test
    void windowIsWholeAgainWhenMessagesOfOtherPrioritiesAreGone() {
        shard = DeliveryFixture.of(100, 40, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7));
        shard.publishOf("a", 3);
        shard.settle("a", 1);
        shard.target.take();
        shard.publishOf("a", new int[30]);
        assertThat(shard.target.take()).hasSize(20);
    }

    /** Two messages in flight must not have one packet identifier. */
    @Test
    void messagesThatWaitAreOvertakenByNoMoreThanThereArePacketIdentifiers() {
        shard.fold(attach("a", 7));
        shard.publishOf("a", 0, 0, 3);
        for (long sequence = 4; sequence <= 65_535; sequence++) {
            shard.publishOf("a", 3);
            shard.settle("a", sequence - 1);
            if (sequence % 1000 == 0) {
                shard.log();
                shard.save();
            }
        }
        assertThat(shard.target.take()).last().isEqualTo("7: 65535");
        shard.publishOf("a", 3);
        shard.settle("a", 65_535);
        shard.store.answerAll();
        assertThat(handed()).isEmpty();
        shard.settle("a", 1);
        shard.store.answerAll();
        assertThat(handed()).containsExactlyInAnyOrder("2", "65536");
    }

    @Test
    void expiredMessageIsPassedOverWhateverItsPriority() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publishOf("a", 0);
        for (int priority : new int[] {0, 3, 2}) {
            shard.fold(new Publish(
                    message("x").withPriority(priority).withExpiry(shard.nowMillis + 1000L * priority + 1),
                    List.of(Samples.recipient("a", shard.client("a").session())),
                    null));
        }
        shard.nowMillis += 2500;
        shard.fold(attach("a", 8));
        assertThat(shard.target.take()).containsExactly("8: 3 1");
        shard.settle("a", 3, 1);
        assertThat(shard.target.take()).isEmpty();
        assertThat(shard.dropped).containsExactly("EXPIRED", "EXPIRED");
    }
}
