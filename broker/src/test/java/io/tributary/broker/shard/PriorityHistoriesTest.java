package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.StateCodec;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories of messages with priorities that lost some of them once, or held them up. */
class PriorityHistoriesTest {
    private DeliveryFixture shard = DeliveryFixture.of(2, 100, Overflow.DROP_OLDEST);

    /** Reach is measured from 1 when a connection begins. */
    @Test
    void highestPriorityGoesFirstWhenSessionHadMoreMessagesThanThereArePacketIdentifiers() {
        shard.fold(attach("a", 7));
        for (int i = 1; i <= 65_600; i++) {
            shard.publishOf("a", 0);
            shard.settle("a", i);
            if (i % 1000 == 0) {
                shard.log();
                shard.save();
                shard.target.take();
            }
        }
        shard.log();
        shard.fold(detach("a", 1, 65_600));
        shard.target.take();
        shard.publishOf("a", 0, 0, 0, 3);
        shard.log();
        shard.save();
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(String.join(" ", shard.target.take()))
                .startsWith("8: 65601 8: 65604"); // the first says where the queue begins
    }

    /** A message that left the queue while the topics are read is settled a second time. */
    @Test
    void expiredMessageIsSettledOnceWhenItLeavesTheQueueWhileItsTopicIsRead() {
        shard = DeliveryFixture.of(9, 3, Overflow.DROP_OLDEST);
        long end = shard.nowMillis + 60_000;
        ExpirySweep sweep = new ExpirySweep(
                shard.state,
                shard.queues,
                shard.deliveries.view,
                shard.losses,
                new ShardRecorder() {
                    @Override
                    public boolean countsDeadlines() {
                        return true;
                    }
                },
                10_000);
        shard.fold(attach("a", 7), detach("a", 1, 0));
        for (int i = 0; i < 3; i++) {
            shard.fold(new Publish(
                    message("x").withExpiry(end),
                    List.of(Samples.recipient("a", shard.client("a").session())),
                    null));
        }
        shard.save();
        shard.nowMillis = end;
        sweep.tick(shard.nowMillis, shard.nowMillis);
        shard.store.arrive();
        shard.store.answer(); // what has expired; its topics are being read
        shard.store.arrive();
        shard.publish("a", "n1", "n2", "n3"); // the queue is full: the three old ones go
        shard.log();
        shard.store.answerAll();
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isEqualTo(3);
        shard.save();
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 4 5 6");
    }

    /** Offline, only the end of a queue is remembered, from a sixteenth on. */
    @Test
    void messageOfHigherPriorityFindsRoomWhenOnlyTheEndOfTheQueueIsKnown() {
        shard = DeliveryFixture.of(40, 32, Overflow.DROP_NEWEST);
        shard.fold(attach("a", 7), detach("a", 1, 0));
        for (int i = 0; i < 32; i++) {
            shard.publishOf("a", 0);
        }
        assertThat(shard.dropped).isEmpty();
        shard.publishOf("a", 3);
        shard.fold(attach("a", 8));
        assertThat(shard.target.take().getFirst()).startsWith("8: 33 ");
    }

    /** A message of a higher priority that does not find room has others dropped in vain. */
    @Test
    void nothingIsDroppedForAMessageThatIsTooLargeForTheQueue() {
        shard = new DeliveryFixture(DeliveryFixture.config(9, new QueueLimits(100, 1500, Overflow.DROP_NEWEST)));
        shard.fold(attach("a", 7), detach("a", 1, 0));
        for (int i = 0; i < 4; i++) {
            shard.fold(new Publish(
                    message("L".repeat(300)),
                    List.of(Samples.recipient("a", shard.client("a").session())),
                    null));
        }
        int before = shard.dropped.size();
        shard.fold(new Publish(
                message("L".repeat(1600)).withPriority(3),
                List.of(Samples.recipient("a", shard.client("a").session())),
                null));
        assertThat(before).isZero();
        assertThat(shard.dropped).hasSize(1);
    }

    /** Released are counted among those of priority 3. */
    @Test
    void newOwnerHandsOnWhatMayBeInFlightThoughThereAreManyPubrels() {
        shard.fold(attach("a", 7));
        shard.publishOf("a", QoS.EXACTLY_ONCE, 0, 0, 3, 3);
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 2", "7: 3", "7: 4");
        shard.receive("a", 1, 2); // not logged yet
        shard.fold(attach("a", 8)); // takes the session over
        assertThat(shard.target.take()).containsExactly("8: 3 dup 4 dup 1 dup 2 dup");
        shard.log(); // 1 and 2 are Released
        shard.target.take();
        shard.deliveries.resumed(shard.client("a"), 4); // a new owner
        shard.deliveries.flush();
        // the client (Receive Maximum 2) has PUBRECed 3 and 4: the connection parks 1 and 2
        assertThat(String.join(" ", shard.target.take())).contains(" 3").contains(" 4");
    }

    /** A session that was stored in format 3 though it has a message with a priority. */
    @Test
    void sessionWithPrioritiesIsStoredAsSuchWhenAnOlderFormatIsWritten() {
        shard.keepNothing();
        shard.fold(attach("a", 7), detach("a", 1, 0));
        shard.publishOf("a", 0, 0, 0, 3);
        shard.save();
        DeliveryFixture next = DeliveryFixture.of(2, 100, Overflow.DROP_OLDEST);
        next.keepNothing();
        next.store.content.queues.putAll(shard.store.content.queues);
        shard.store.content.sessions.forEach((name, session) -> {
            var stored = StateCodec.decodeSession(StateCodec.encodeSession(session, 3));
            next.store.content.sessions.put(name, stored);
            next.state.load(List.of(stored), List.of());
        });
        next.save();
        next.fold(attach("a", 8));
        next.store.answerAll();
        next.publishOf("a", 3);
        next.settle("a", 4, 1);
        next.store.answerAll();
        String handed = String.join(" ", next.target.take());
        next.settle("a", 5, 3);
        next.store.answerAll();
        handed += String.join(" ", next.target.take());
        assertThat(handed).contains("4").contains("5").contains("3");
    }

    /** Lanes end, and what lane 3 handed behind the last message with a priority is handed again. */
    @Test
    void pubrelIsNotHandedAgainWhenTheLastMessageWithAPriorityIsPassed() {
        shard = DeliveryFixture.of(4, 100, Overflow.DROP_OLDEST);
        shard.keepNothing();
        shard.fold(attach("a", 7));
        shard.publishOf("a", QoS.EXACTLY_ONCE, 0, 3, 0, 0);
        shard.receive("a", 3, 4);
        shard.log();
        shard.fold(detach("a", 1, 4));
        shard.publishOf("a", QoS.EXACTLY_ONCE, 0, 0);
        shard.save();
        shard.target.take();
        shard.fold(attach("a", 8));
        shard.store.answerAll();
        assertThat(shard.target.take()).containsExactly("8: 2 dup 3 PUBREL 4 PUBREL", "8: 1 dup", "8: 5 6");
        shard.settle("a", 3, 4); // not logged yet
        shard.store.answerAll();
        assertThat(String.join(" ", shard.target.take())).doesNotContain("PUBREL");
        shard.settle("a", 1, 2, 5);
        shard.store.answerAll();
        shard.log();
        assertThat(shard.client("a").queuedMessages()).isEqualTo(1);
    }
}
