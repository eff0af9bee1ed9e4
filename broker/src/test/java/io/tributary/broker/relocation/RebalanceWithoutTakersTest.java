package io.tributary.broker.relocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A rebalance beside a node to which no balancer leads, since it is not ready. */
class RebalanceWithoutTakersTest {
    private static final int RATE = 50;

    /** Whoever is sent away comes back. */
    private static final int CLIENTS = 900;

    private final AtomicInteger sent = new AtomicInteger();
    private final Hurried thread = new Hurried();
    private final Rebalance rebalance = new Rebalance(
            new OneHost(), (_, _, _, _) -> CompletableFuture.completedStage(true), thread, () -> false, (_, _) -> {});

    @AfterEach
    void end() {
        thread.shutdownNow();
    }

    @Test
    void endsWhenTheNodeThatShouldGetClientsGetsNone() {
        rebalance.start();
        rebalance
                .begin(RATE, 10, Duration.ofDays(1), "ada", "here")
                .toCompletableFuture()
                .join();
        await().until(() -> sent.get() > 0);
        await().until(() -> !rebalance.status().running());
        assertThat(sent.get()).isLessThan(15 * RATE);
    }

    /** Looks fifty times a second. */
    private static final class Hurried extends ScheduledThreadPoolExecutor {
        Hurried() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long first, long delay, TimeUnit unit) {
            return super.scheduleWithFixedDelay(command, first * 20, delay * 20, TimeUnit.MILLISECONDS);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            return super.schedule(command, 0, unit);
        }
    }

    private final class OneHost implements Host {
        @Override
        public @Nullable ServingNode node() {
            return new Node();
        }

        @Override
        public boolean release() {
            throw new AssertionError("it is not drained");
        }

        @Override
        public void resume() {}
    }

    private final class Node implements ServingNode {
        @Override
        public boolean isAlone() {
            return false;
        }

        @Override
        public void turnAway(boolean all) {}

        @Override
        public int connections() {
            return CLIENTS;
        }

        @Override
        public int sendAway(int most) {
            sent.addAndGet(most);
            return most;
        }

        @Override
        public void handOver(boolean all) {}

        @Override
        public int ownedShards() {
            return 8;
        }

        @Override
        public int unownedShards() {
            return 0;
        }

        @Override
        public ClusterStats figures() {
            return new ClusterStats(
                    part("n1", CLIENTS), List.of(part("n2", CLIENTS), part("n3", 0)), List.of(), 3, 24, 0);
        }

        private ClusterStats.Node part(String name, int connected) {
            SysStats stats = new SysStats(
                    new Clients(connected, 0, 0, 0),
                    new Traffic(0, new Flow(0, 0), new Flow(0, 0), 0, 0, new Flow(0, 0)),
                    new StoredStats(0, new Subscribed(0, 0), new Subscribed(0, 0), 0));
            return new ClusterStats.Node(name, "live", new NodeStats("v1", 5, stats, 0));
        }

        @Override
        public long millis() {
            return 1;
        }

        @Override
        public void announce(Announced said) {}
    }
}
