package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.cleanStart;
import static io.tributary.broker.shard.fold.Samples.detach;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.ShardEvent.Publish;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExpirySweepTest {
    private static final long SECOND = 1000;

    private final DeliveryFixture shard = DeliveryFixture.of(10, 10_000, Overflow.DROP_OLDEST);
    private final long end = shard.nowMillis + 60 * SECOND;
    private long looked;
    private ExpirySweep sweep = sweep(10_000);

    private ExpirySweep sweep(double messagesASecond) {
        return new ExpirySweep(
                shard.state,
                shard.queues,
                shard.deliveries.view,
                shard.losses,
                new ShardRecorder() {
                    @Override
                    public void lookedForExpired(long messages) {
                        looked += messages;
                    }
                },
                messagesASecond);
    }

    @Test
    void expiredMessagesOfSessionsThatAreAwayGoAndCountsAreExact() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        publish("a", end, 3);
        shard.publish("a", "stays");
        publish("a", end + SECOND, 1);
        shard.save();
        tick();
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isEqualTo(5);

        shard.nowMillis = end;
        tick();
        shard.log();
        assertThat(shard.dropped).containsExactly("EXPIRED", "EXPIRED", "EXPIRED");
        assertThat(shard.client("a").queuedMessages()).isEqualTo(2);
        assertThat(looked).isEqualTo(10);
        shard.save();
        assertThat(shard.store.content.queues.get("a")).containsOnlyKeys(4L, 5L);
    }

    @Test
    void queueOfSeveralPagesIsGoneThroughOnceARoundWithinTheBudget() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        publish("a", end, 1200);
        shard.save();
        shard.nowMillis = end;
        sweep = sweep(100);
        tick();
        assertThat(shard.dropped).hasSize(500);
        for (int ticks = 0; ticks < 50; ticks++) {
            tick(); // 100 a second have paid for the first 500 after 5 seconds
        }
        assertThat(shard.dropped).hasSize(500);
        for (int ticks = 0; ticks < 5; ticks++) {
            tick();
        }
        assertThat(shard.dropped).hasSize(1000);
        for (int ticks = 0; ticks < 60; ticks++) {
            tick();
        }
        assertThat(shard.dropped).hasSize(1200);
        assertThat(shard.store.expiredReads).containsExactly("a 1 500", "a 501 500", "a 1001 500");
    }

    @Test
    void nothingIsDroppedTwiceBeforeItIsLogged() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        publish("a", end, 2);
        shard.save();
        shard.nowMillis = end;
        tick();
        shard.nowMillis += 60 * SECOND;
        tick();
        assertThat(shard.store.expiredReads).hasSize(2);
        assertThat(shard.dropped).hasSize(2);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
    }

    @Test
    void whatTheClientMayHaveBeenSentStays() {
        shard.fold(attach("a", 7));
        publish("a", end, 2);
        shard.fold(detach("a", 1, 1));
        shard.save();
        shard.nowMillis = end;
        tick();
        shard.log();
        assertThat(shard.store.expiredReads).containsExactly("a 2 2");
        assertThat(shard.client("a").queuedMessages()).isEqualTo(1);
        shard.target.take();
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 1 dup");
    }

    /** The node of the connection is dead, and does not say what it has sent. */
    @Test
    void whatTheOwnerHasNotHandedGoesWhenNobodySaysWhatWasSent() {
        shard.fold(attach("a", 7));
        publish("a", end, 12);
        shard.fold(detach("a", 1, -1));
        shard.save();
        shard.nowMillis = end;
        tick();
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isEqualTo(10);
    }

    @Test
    void sessionsWithAConnectionAndThoseWithoutMessagesAreLeftAlone() {
        shard.fold(attach("a", 7), attach("b", 8), detach("b", 2, 0));
        publish("a", end, 1);
        shard.save();
        shard.nowMillis = end;
        tick();
        assertThat(shard.store.expiredReads).isEmpty();
    }

    @Test
    void pageThatComesWhenTheClientIsBackIsForgotten() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        publish("a", end, 1);
        shard.save();
        shard.nowMillis = end;
        sweep.tick(shard.nowMillis, shard.nowMillis);
        shard.nowMillis = end - 1; // another owner's clock: the message is sent
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 1");
        assertThat(shard.dropped).isEmpty();
        shard.settle("a", 1);
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isZero();
    }

    @Test
    void queueThatCouldNotBeReadIsLookedAtInTheNextRound() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        publish("a", end, 1);
        shard.save();
        shard.nowMillis = end;
        sweep.tick(shard.nowMillis, shard.nowMillis);
        shard.store.fail();
        assertThat(shard.dropped).isEmpty();
        shard.nowMillis += 60 * SECOND;
        tick();
        assertThat(shard.dropped).containsExactly("EXPIRED");
    }

    @Test
    void nothingIsDroppedOfSessionThatEndsWhileItsQueueIsRead() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        publish("a", end, 1);
        shard.save();
        shard.nowMillis = end;
        sweep.tick(shard.nowMillis, shard.nowMillis);
        shard.fold(cleanStart("a", 9));
        shard.store.answerAll();
        assertThat(shard.dropped).isEmpty();
    }

    @Test
    void nothingIsLookedAtWhenTheBudgetIsNone() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
        publish("a", end, 1);
        shard.save();
        shard.nowMillis = end;
        sweep = sweep(0);
        tick();
        assertThat(shard.store.expiredReads).isEmpty();
    }

    private void tick() {
        sweep.tick(shard.nowMillis, shard.nowMillis);
        shard.store.answerAll();
    }

    private void publish(String clientId, long expiresAtMillis, int count) {
        for (int i = 0; i < count; i++) {
            shard.fold(new Publish(
                    Samples.message("m").withExpiry(expiresAtMillis),
                    List.of(Samples.recipient(clientId, shard.client(clientId).session())),
                    null));
        }
    }
}
