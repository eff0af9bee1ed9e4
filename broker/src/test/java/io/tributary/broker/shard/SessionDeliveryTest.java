package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.cleanStart;
import static io.tributary.broker.shard.fold.Samples.detach;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.fake.Messages;
import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.mqtt.Message;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The order of a session's sequence numbers is checked, and only sessions that need one have a delivery. */
class SessionDeliveryTest {
    private final DeliveryFixture shard = DeliveryFixture.of(3, 100, Overflow.DROP_OLDEST);

    @ParameterizedTest
    @CsvSource({
        "'as it should be', 1, 2, 4, 0, 5, true",
        "'all are the same', 5, 5, 6, 5, 5, true",
        "'an earlier session left more than is done with', 1, 2, 4, 4, 5, false",
        "'more was looked at than there is', 1, 2, 7, 0, 5, false",
        "'more was begun than there is', 1, 6, 4, 0, 5, false",
        "'more carries DUP than was begun', 3, 2, 4, 0, 5, false",
    })
    void orderOfTheWindowIsChecked(
            String what,
            long dupUpTo,
            long maybeSentBefore,
            long next,
            long leftUpTo,
            long lastSequence,
            boolean isOrdered) {
        shard.fold(attach("a", 7));
        Outgoing window = shard.deliveries.outgoing(
                shard.client("a"), "here", null, SentUpTo.all(dupUpTo), SentUpTo.all(maybeSentBefore), next);
        assertThat(window.isOrdered(leftUpTo, lastSequence)).as(what).isEqualTo(isOrdered);
    }

    @Test
    void entryFailsWhenTheOrderIsBroken() {
        shard.fold(attach("a", 7));
        shard.publish("a", "m");
        assertThatThrownBy(() -> shard.deliveries.resumed(shard.client("a"), 2))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("maybeSentBefore 2, lastSequence 1");
    }

    @Test
    void sessionHasNoDeliveryWhenOffline() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2");
        assertThat(shard.deliveries.sessions()).isEqualTo(1);
        shard.fold(detach("a", 1, 2));
        shard.publish("a", "3");
        assertThat(shard.deliveries.sessions()).isZero();
    }

    @Test
    void sessionHasDeliveryUntilTheLogKnowsWhatItSettled() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2");
        shard.settle("a", 1);
        shard.fold(detach("a", 1, 2));
        assertThat(shard.deliveries.sessions()).isEqualTo(1);
        assertThat(shard.deliveries.view.messagesOf(shard.client("a"))).isEqualTo(1);
        shard.log();
        assertThat(shard.deliveries.sessions()).isZero();
    }

    @Test
    void deliveryGoesWithItsSession() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1", "2");
        shard.settle("a", 1);
        shard.fold(cleanStart("a", 8), detach("a", 4, 0));
        assertThat(shard.deliveries.sessions()).isZero();
        assertThat(shard.deliveries.toBeLogged.isEmpty()).isTrue();
    }

    @Test
    void storeIsAskedForOneMessageAtATimeWhileMemoryIsShort() {
        comesBackToHundred(shard::takeAll);
        assertThat(shard.store.queueReadSizes).containsExactly(1);
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 1");
        assertThat(shard.store.queueReadSizes).hasSize(1);

        shard.settle("a", 1);
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 2");
        assertThat(shard.store.queueReadSizes).containsExactly(1, 1);

        shard.keepAgain();
        shard.settle("a", 2);
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 3 4 5");
    }

    @Test
    void restOfAPageIsReadAgainWhenMemoryHasBecomeShortMeanwhile() {
        comesBackToHundred(() -> {});
        assertThat(shard.store.queueReadSizes).containsExactly(3);
        shard.takeAll();
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 1");

        shard.settle("a", 1);
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 2");
    }

    @Test
    void pageCountsWhileItIsRead() {
        comesBackToHundred(() -> {});
        long read = shard.client("a").queuedBytes();
        assertThat(shard.deliveries.memory.taken()).isGreaterThanOrEqualTo(read);
        shard.deliveries.tick();
        shard.store.answerAll();
        shard.deliveries.tick(); // compares what is taken with what sessions have
        assertThat(shard.deliveries.memory.taken()).isLessThan(read);
    }

    @Test
    void whatIsHandedTakesWhatItTakesInTheHeapAndLeavesTheQueueAsItCame() {
        shard.fold(attach("a", 7));
        shard.publish("a", "1");
        long before = shard.deliveries.memory.taken();
        Message costly = Messages.withUserProperties(100, Samples.message("2"));
        Recipient to = Samples.recipient("a", shard.client("a").session());
        shard.fold(new ShardEvent.Publish(costly, List.of(to), null));
        assertThat(shard.deliveries.memory.taken()).isGreaterThan(before + 12_000);

        shard.settle("a", 2);
        assertThat(shard.deliveries.memory.taken()).isEqualTo(before);
        assertThat(shard.deliveries.view.bytesOf(shard.client("a")))
                .isEqualTo(Samples.message("1").sizeBytes());
    }

    @Test
    void pagesTakeNoMemoryUntilTheStoreAnswersAgain() {
        comesBackToHundred(() -> {});
        shard.store.fail();
        shard.deliveries.tick();
        shard.fold(detach("a", shard.client("a").epoch(), 0), attach("a", 9));
        assertThat(shard.store.queueReadSizes).containsExactly(3, 1, 1);
        assertThat(shard.deliveries.memory.taken()).isLessThan(shard.client("a").queuedBytes());

        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("9: 1", "9: 2 3");
    }

    /** A session comes back to a queue that is in the store. */
    private void comesBackToHundred(Runnable before) {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        for (int i = 0; i < 100; i++) {
            shard.publish("a", "m");
        }
        shard.save();
        before.run();
        shard.fold(attach("a", 8));
    }
}
