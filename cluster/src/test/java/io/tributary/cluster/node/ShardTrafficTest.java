package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.shard.InstantLog;
import io.tributary.broker.shard.InstantStore;
import io.tributary.broker.shard.InstantTopics;
import io.tributary.broker.shard.NoObserver;
import io.tributary.broker.shard.NoRouting;
import io.tributary.broker.shard.OtherNodes;
import io.tributary.broker.shard.OwnerTarget;
import io.tributary.broker.shard.ShardAppends;
import io.tributary.broker.shard.ShardConfig;
import io.tributary.broker.shard.ShardRecorder;
import io.tributary.broker.shard.Shards;
import io.tributary.cluster.node.NodeMessage.AllAttached;
import io.tributary.cluster.node.NodeMessage.AllSettled;
import io.tributary.cluster.node.NodeMessage.AskForAllSettled;
import io.tributary.cluster.node.NodeMessage.AttachedLater;
import io.tributary.cluster.node.NodeMessage.Deliver;
import io.tributary.cluster.node.NodeMessage.OwnerSpeaks;
import io.tributary.cluster.node.NodeMessage.Settle;
import io.tributary.cluster.node.NodeMessage.TakenOver;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What goes over a link that takes only so much. */
class ShardTrafficTest {
    private static final long OWNER = 5;

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final NarrowLink link = new NarrowLink();
    private final List<String> alive = new ArrayList<>();
    private final InstantLog log = new InstantLog(1);
    private final InstantTopics topics = new InstantTopics();
    private final ConnectionRegistry connections = new ConnectionRegistry();
    private final Shards shards = new Shards(
            ShardConfig.defaults(),
            log,
            new InstantStore(1),
            topics,
            InstantSource.system(),
            new ShardAppends(ShardConfig.defaults(), log, topics, InstantSource.system(), RecordFormat.alone()),
            new Shards.Node(
                    "here",
                    _ -> false,
                    connections,
                    new NoRouting(),
                    new NoObserver(),
                    OtherNodes.NONE,
                    () -> true,
                    ShardRecorder.NONE));
    private final ShardTraffic traffic = new ShardTraffic(
            () -> alive, () -> true, () -> CompletableFuture.completedStage(null), _ -> 0, timer, RecordFormat.alone());
    private final ShardArrivals arrivals = new ShardArrivals(traffic, shards, connections, RecordFormat.alone());

    @BeforeEach
    void connect() {
        shards.start();
        arrivals.onUp(link);
    }

    @AfterEach
    void stop() {
        timer.shutdownNow();
        shards.close();
    }

    @Test
    void nothingFollowsWhatWasLost() {
        OwnerTarget way = way();
        link.refuses = frame -> frame == 3; // the second one of deliveries, behind the owner's first words
        way.deliver(7, List.of(delivery(1), delivery(2), delivery(3)));
        way.takenOver(7);
        assertThat(link.taken).extracting(Object::getClass).containsExactly(OwnerSpeaks.class, Deliver.class);
    }

    @Test
    void deliveriesComeInFramesInTheirOrder() {
        way().deliver(7, List.of(delivery(1), delivery(2), delivery(3)));
        assertThat(link.taken.stream()
                        .filter(Deliver.class::isInstance)
                        .flatMap(message -> ((Deliver) message).deliveries().stream())
                        .map(Delivery::sequence))
                .containsExactly(1L, 2L, 3L);
    }

    @Test
    void ownerIsAskedOnceWhenManyAcknowledgementsAreLost() {
        arrivals.take(link, new OwnerSpeaks(0, OWNER));
        link.refuses = _ -> true;
        for (int i = 0; i < 100; i++) {
            assertThat(traffic.settle(0, "a", 1, new long[] {i})).isTrue();
        }
        assertThat(timer.getQueue()).hasSize(1);
    }

    @Test
    void nodeSaysBehindItsAcknowledgementsThatTheseWereAll() {
        arrivals.take(link, new OwnerSpeaks(0, OWNER));
        traffic.settle(0, "a", 3, new long[] {1});
        arrivals.take(link, new AskForAllSettled(0, OWNER - 1, "a", 3)); // an owner that is none any more
        arrivals.take(link, new AskForAllSettled(0, OWNER, "a", 3));
        assertThat(link.taken).extracting(Object::getClass).containsExactly(Settle.class, AllSettled.class);
        assertThat(link.taken.getLast()).isEqualTo(new AllSettled(0, "a", 3));
    }

    @Test
    void nodeIsNotAskedOverALinkThatHasLostSomething() {
        OwnerTarget way = way();
        assertThat(way.askForAllSettled("a", 3)).isTrue();
        assertThat(link.taken).contains(new AskForAllSettled(0, OWNER, "a", 3));
        link.refuses = _ -> true;
        assertThat(way.askForAllSettled("a", 3)).isFalse();
        link.refuses = _ -> false;
        assertThat(way.askForAllSettled("a", 3)).isFalse();
        assertThat(traffic.of("nobody", 0, OWNER, () -> {}).askForAllSettled("a", 3))
                .isFalse();
    }

    @Test
    void shardIsOwnedWhileItsLiveOwnerCanBeReached() {
        arrivals.take(link, new OwnerSpeaks(0, OWNER));
        assertThat(traffic.isOwned(0)).isFalse(); // it may still be loading
        arrivals.take(link, new AllAttached(0, OWNER, 9));
        assertThat(traffic.isOwned(0)).isTrue();
        arrivals.take(link, new OwnerSpeaks(0, OWNER + 1));
        assertThat(traffic.isOwned(0)).isFalse();
        arrivals.take(link, new AllAttached(0, OWNER + 1, 9));
        assertThat(traffic.isOutOfReach(0)).isFalse();
        arrivals.onDown(link);
        assertThat(traffic.isOwned(0)).isFalse();
    }

    @Test
    void connectionIsNamedForLaterOnceAllNodesKnowWhatThatMeans() {
        OwnerTarget way = way();
        assertThat(way.attachedLater(7)).isTrue();
        assertThat(link.taken).contains(new AttachedLater(0, OWNER, 7));
        link.refuses = _ -> true;
        assertThat(way.attachedLater(8)).as("who is not told now is told anew").isTrue();
        RecordFormat older = new RecordFormat(RecordFormat.NEWEST);
        older.raise(RecordFormat.ATTACHED_LATER - 1);
        ShardTraffic before = new ShardTraffic(
                () -> alive, () -> true, () -> CompletableFuture.completedStage(null), _ -> 0, timer, older);
        before.onUp(new NarrowLink());
        assertThat(before.of(link.peer().toString(), 0, OWNER, () -> {}).attachedLater(7))
                .isFalse();
    }

    @Test
    void shardIsOutOfReachWhileItsOwnerLivesAndThereIsNoLink() {
        arrivals.take(link, new OwnerSpeaks(0, OWNER));
        arrivals.take(link, new AllAttached(0, OWNER, 9));
        arrivals.onDown(link);
        alive.add(link.peer().toString());
        assertThat(traffic.isOutOfReach(0)).isTrue();
        assertThat(traffic.isOutOfReach(1)).isFalse();
        alive.clear();
        assertThat(traffic.isOutOfReach(0)).isFalse();
    }

    @Test
    void formerOwnerIsNotHeardWhenThisNodeOwnsTheShardByNow() {
        arrivals.take(link, new OwnerSpeaks(0, OWNER));
        traffic.ownedHere(0, OWNER + 1, (_, _, _) -> true);
        arrivals.take(link, new OwnerSpeaks(0, OWNER)); // was on its way
        assertThat(traffic.settle(0, "a", 1, new long[] {1})).isFalse();
        assertThat(traffic.isServedBy(0, "here", true)).isTrue();
        arrivals.take(link, new OwnerSpeaks(0, OWNER + 2));
        assertThat(traffic.settle(0, "a", 1, new long[] {2})).isTrue();
        assertThat(link.taken).hasSize(1);
        assertThat(traffic.isServedBy(0, "here", true)).isFalse();
    }

    @Test
    void nothingElseIsLostWithAMessageOfQos0() {
        OwnerTarget way = way();
        link.refuses = frame -> frame == 2;
        way.qos0("a", 1, queued(QoS.AT_MOST_ONCE));
        way.takenOver(7);
        assertThat(link.taken).extracting(Object::getClass).containsExactly(OwnerSpeaks.class, TakenOver.class);
    }

    private OwnerTarget way() {
        return traffic.of(link.peer().toString(), 0, OWNER, () -> {});
    }

    private static Delivery delivery(long sequence) {
        return new Delivery(sequence, queued(QoS.AT_LEAST_ONCE), false);
    }

    private static Queued queued(QoS qos) {
        Message message = new Message("a", new byte[40_000], qos, false, PublishProperties.NONE, Message.NEVER, "");
        return new Queued(message, qos, false, List.of(), null);
    }
}
