package io.tributary.broker.relocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.sys.ClusterStats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
            new Node().host(),
            (_, _, _, _) -> CompletableFuture.completedStage(true),
            thread,
            () -> false,
            (_, _) -> {});

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
        assertThat(rebalance.status().ended()).isEqualTo(RebalanceStatus.EVEN);
    }

    @Test
    void saysThatItDidNotDoWhatItWasForWhenItIsTakenBack() {
        rebalance.start();
        rebalance
                .begin(RATE, 10, Duration.ofDays(1), "ada", "here")
                .toCompletableFuture()
                .join();
        assertThat(rebalance.status().ended()).isNull();
        rebalance.cancel("ada", "here").toCompletableFuture().join();
        assertThat(rebalance.status().running()).isFalse();
        assertThat(rebalance.status().ended()).isEqualTo("it was taken back");
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

    private final class Node extends StillNode {
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
        public ClusterStats figures() {
            return new ClusterStats(
                    part("n1", CLIENTS), List.of(part("n2", CLIENTS), part("n3", 0)), List.of(), 3, 24, 0);
        }
    }
}
