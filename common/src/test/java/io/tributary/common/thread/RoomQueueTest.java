package io.tributary.common.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RoomQueueTest {
    private final List<Runnable> asked = new ArrayList<>();
    private final List<String> done = new ArrayList<>();
    private final RoomQueue queue = new RoomQueue(asked::add);

    @Test
    void asksOnceForAllWhoWait() {
        var _ = queue.await(() -> done.add("a"));
        var _ = queue.await(() -> done.add("b"));
        assertThat(asked).hasSize(1);

        asked.removeFirst().run();

        assertThat(done).containsExactlyInAnyOrder("a", "b");
        assertThat(queue.size()).isZero();
    }

    @Test
    void keepsNothingOfThoseWhoGiveUp() {
        for (int i = 0; i < 1_000; i++) {
            queue.await(() -> done.add("never")).run();
        }
        assertThat(queue.size()).isZero();
        assertThat(asked).hasSize(1);

        asked.removeFirst().run();

        assertThat(done).isEmpty();
    }

    @Test
    void asksAgainWhenSomebodyWaitsOnceMore() {
        var _ = queue.await(() -> queue.await(() -> done.add("later")));

        asked.removeFirst().run();
        asked.removeFirst().run();

        assertThat(done).containsExactly("later");
    }

    @Test
    void runsAtOnceWhenThereIsRoom() {
        var _ = new RoomQueue(Runnable::run).await(() -> done.add("now"));

        assertThat(done).containsExactly("now");
    }

    @Test
    void forgetsNobodyWhenThreadsComeWhileThereIsRoom() throws InterruptedException {
        RoomQueue open = new RoomQueue(Runnable::run);
        CountDownLatch left = new CountDownLatch(40_000);
        for (int t = 0; t < 4; t++) {
            Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 10_000; i++) {
                    var _ = open.await(left::countDown);
                }
            });
        }

        assertThat(left.await(10, TimeUnit.SECONDS)).isTrue();
    }
}
