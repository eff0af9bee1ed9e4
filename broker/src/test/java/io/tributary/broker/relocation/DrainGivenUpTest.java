package io.tributary.broker.relocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.relocation.Drain.Phase;
import io.tributary.broker.sys.ClusterStats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A drain of a node whose shards nobody takes. */
class DrainGivenUpTest {
    private final AtomicLong nanos = new AtomicLong();
    private final List<String> actions = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final Node node = new Node();
    private final Drain drain = new Drain(
            "n1",
            node.host(),
            (by, from, action, _) -> {
                actions.add(action + " by " + by + " from " + from);
                return CompletableFuture.completedStage(null);
            },
            thread,
            nanos::get,
            (_, _) -> {});

    @AfterEach
    void end() {
        thread.shutdownNow();
    }

    @Test
    void servesAgainAndSaysWhyWhenNoOtherNodeTakesShards() {
        begin();
        await().until(() -> drain.status().phase() == Phase.HANDING_OVER && node.handsOver);
        pass(Drain.LONGEST_UNTAKEN.minusSeconds(1));
        node.shards = 7;
        awaitTick();
        pass(Drain.LONGEST_UNTAKEN.minusSeconds(1));
        assertThat(drain.status().phase()).as("one was taken meanwhile").isEqualTo(Phase.HANDING_OVER);
        pass(Duration.ofSeconds(1));
        await().until(() -> drain.status().phase() == Phase.SERVING);
        await().until(() -> !node.handsOver && !node.turnsAway);
        assertThat(drain.status().waitsFor()).isEqualTo("nothing");
        assertThat(drain.status().givenUp())
                .isEqualTo("other nodes serve clients, and have taken none of the last 7 shards for 120 s");
        assertThat(actions).containsExactly("drain by ada from here", "drain-given-up by null from n1");
        begin();
        assertThat(drain.status().givenUp()).as("it is drained once more").isNull();
    }

    @Test
    void clientIsSentAwayThatGetsItsSessionWhenShardsAreHandedOver() {
        begin();
        await().until(() -> drain.status().phase() == Phase.HANDING_OVER && node.handsOver);

        node.clients.set(1);

        await().until(() -> node.clients.get() == 0);
        assertThat(drain.status().phase()).isEqualTo(Phase.HANDING_OVER);
    }

    private void begin() {
        drain.begin(new DrainOrder(Duration.ZERO, 0, "ada", "here"))
                .toCompletableFuture()
                .join();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        awaitTick();
    }

    /** Two looks: the first may have begun before. */
    private void awaitTick() {
        long seen = node.looks.get();
        await().until(() -> node.looks.get() >= seen + 4 || drain.status().phase() == Phase.SERVING);
    }

    private static final class Node extends StillNode {
        final AtomicLong looks = new AtomicLong();
        volatile int shards = 8;
        final AtomicInteger clients = new AtomicInteger();
        volatile boolean handsOver;
        volatile boolean turnsAway;

        @Override
        public void turnAway(boolean all) {
            turnsAway = all;
        }

        @Override
        public void handOver(boolean all) {
            handsOver = all;
        }

        @Override
        public int connections() {
            return clients.get();
        }

        @Override
        public int sendAway(int most) {
            return most == 0 ? 0 : clients.getAndSet(0);
        }

        @Override
        public int ownedShards() {
            looks.incrementAndGet();
            return shards;
        }

        @Override
        public ClusterStats figures() {
            return new ClusterStats(part("n1", 0), List.of(part("n2", 0)), List.of(), 2, 8, 0);
        }
    }
}
