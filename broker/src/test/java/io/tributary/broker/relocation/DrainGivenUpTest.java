package io.tributary.broker.relocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.relocation.Drain.Phase;
import io.tributary.broker.sys.Announced;
import io.tributary.broker.sys.ClusterStats;
import io.tributary.broker.sys.NodeStats;
import io.tributary.broker.sys.SysStats;
import io.tributary.broker.sys.SysStats.Clients;
import io.tributary.broker.sys.SysStats.Flow;
import io.tributary.broker.sys.SysStats.StoredStats;
import io.tributary.broker.sys.SysStats.Subscribed;
import io.tributary.broker.sys.SysStats.Traffic;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
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
            new OneHost(),
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

    private final class OneHost implements Host {
        @Override
        public @Nullable ServingNode node() {
            return node;
        }

        @Override
        public boolean release() {
            throw new AssertionError("it has shards");
        }

        @Override
        public void resume() {}
    }

    /** One of two that serve clients. */
    private static final class Node implements ServingNode {
        final AtomicLong looks = new AtomicLong();
        volatile int shards = 8;
        volatile boolean handsOver;
        volatile boolean turnsAway;

        @Override
        public boolean isAlone() {
            return false;
        }

        @Override
        public void turnAway(boolean all) {
            turnsAway = all;
        }

        @Override
        public int connections() {
            return 0;
        }

        @Override
        public int sendAway(int most) {
            return 0;
        }

        @Override
        public void handOver(boolean all) {
            handsOver = all;
        }

        @Override
        public int ownedShards() {
            looks.incrementAndGet();
            return shards;
        }

        @Override
        public int unownedShards() {
            return 0;
        }

        @Override
        public ClusterStats figures() {
            SysStats nothing = new SysStats(
                    new Clients(0, 0, 0, 0),
                    new Traffic(0, new Flow(0, 0), new Flow(0, 0), 0, 0, new Flow(0, 0)),
                    new StoredStats(0, new Subscribed(0, 0), new Subscribed(0, 0), 0));
            ClusterStats.Node one = new ClusterStats.Node("n1", "live", new NodeStats("v1", 5, nothing, 0));
            ClusterStats.Node other = new ClusterStats.Node("n2", "live", new NodeStats("v1", 5, nothing, 0));
            return new ClusterStats(one, List.of(other), List.of(), 2, 8, 0);
        }

        @Override
        public long millis() {
            return 0;
        }

        @Override
        public void announce(Announced said) {}
    }
}
