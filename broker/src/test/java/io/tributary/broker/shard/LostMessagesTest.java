package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.detach;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of messages that the store has lost. */
class LostMessagesTest {
    private DeliveryFixture shard = DeliveryFixture.of(10, 3, Overflow.DROP_OLDEST);

    @BeforeEach
    void beginSession() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
    }

    @Test
    void restOfTheQueueIsDeliveredAndItsCountsAreExact() {
        shard.publish("a", "1", "2", "3");
        shard.save();
        shard.store.lost.add(2L);
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 1 3");
        assertThat(shard.dropped).containsExactly("LOST_IN_STORE");
        shard.settle("a", 1, 3);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
        assertThat(shard.client("a").queuedBytes()).isZero();
    }

    @Test
    void whatHadExpiredCountsAsExpired() {
        publishExpiring("1", shard.nowMillis + 1000);
        shard.publish("a", "2");
        shard.save();
        shard.store.lost.add(1L);
        shard.nowMillis += 1000;
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 2");
        assertThat(shard.dropped).containsExactly("EXPIRED");
    }

    @Test
    void messageIsTakenOutOnceHoweverOftenItsPlaceIsRead() {
        shard.publish("a", "1", "2");
        shard.save();
        shard.store.lost.addAll(List.of(1L, 2L));
        for (int i = 0; i < 3; i++) {
            shard.queues.read(shard.client("a"), 1, 10, page -> assertThat(page).isNotNull());
            shard.store.answerAll();
        }
        assertThat(shard.dropped).containsExactly("LOST_IN_STORE", "LOST_IN_STORE");
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
        shard.queues.read(shard.client("a"), 1, 10, page -> assertThat(page).isNotNull());
        shard.store.answerAll();
        assertThat(shard.dropped).hasSize(2);
    }

    @Test
    void messageThatTheConnectionHasIsLeftToItsClient() {
        shard.fold(attach("a", 8));
        shard.publish("a", "1", "2");
        shard.save();
        shard.store.lost.add(1L);
        shard.queues.read(shard.client("a"), 1, 10, page -> assertThat(page).isNotNull());
        shard.store.answerAll();
        assertThat(shard.dropped).isEmpty();
        shard.settle("a", 1, 2);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
        assertThat(shard.client("a").queuedBytes()).isZero();
    }

    @Test
    void pubrelIsOwedWhenThePubrecCameBeforeTheMessageWasMissed() {
        shard = DeliveryFixture.of(10, 10, Overflow.DROP_OLDEST);
        shard.fold(attach("a", 7));
        shard.fold(new Publish(
                Samples.message("1"),
                List.of(Samples.member("a", shard.client("a").session(), QoS.EXACTLY_ONCE)),
                null));
        shard.publish("a", "2");
        shard.save();
        shard.receive("a", 1);
        shard.log();
        shard.store.lost.add(1L);
        shard.target.take();
        shard.fold(detach("a", shard.client("a").epoch(), 2), attach("a", 8));
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 1 PUBREL 2 dup");
        assertThat(shard.dropped).isEmpty();
    }

    @Test
    void fullQueueThatIsReadHasRoomAgain() {
        shard.keepNothing();
        shard.publish("a", "1", "2", "3");
        shard.save();
        shard.store.lost.addAll(List.of(1L, 2L));
        shard.publish("a", "4");
        shard.store.answerAll();
        assertThat(shard.dropped).containsExactly("LOST_IN_STORE");
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isEqualTo(3);
    }

    @Test
    void messageThatIsDroppedByItsSizeIsNotMissed() {
        shard.publish("a", "1", "2", "3");
        shard.save();
        shard.store.lost.addAll(List.of(1L, 2L));
        shard.publish("a", "4");
        assertThat(shard.dropped).containsExactly("QUEUE_FULL");
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 3 4");
        assertThat(shard.dropped).containsExactly("QUEUE_FULL", "LOST_IN_STORE");
        shard.settle("a", 3, 4);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
        assertThat(shard.client("a").queuedBytes()).isZero();
    }

    private void publishExpiring(String text, long expiresAtMillis) {
        shard.fold(new Publish(
                Samples.message(text).withExpiry(expiresAtMillis),
                List.of(Samples.recipient("a", shard.client("a").session())),
                null));
    }
}
