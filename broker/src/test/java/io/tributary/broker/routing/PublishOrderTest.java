package io.tributary.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PublishOrderTest {
    private final PublishOrder order = new PublishOrder();
    private final List<Integer> done = Collections.synchronizedList(new ArrayList<>());

    @Test
    void runsAtOnceWhenTheStageIsComplete() {
        order.whenDone("p", CompletableFuture.completedFuture(true), () -> done.add(1));

        assertThat(done).containsExactly(1);
        assertThat(order.isFree("p")).isTrue();
    }

    @Test
    void keepsTheOrderWhenLaterStagesCompleteFirst() {
        CompletableFuture<Boolean> first = new CompletableFuture<>();
        CompletableFuture<Boolean> second = new CompletableFuture<>();
        order.whenDone("p", first, () -> done.add(1));
        order.whenDone("p", second, () -> done.add(2));
        order.whenDone("p", CompletableFuture.completedFuture(true), () -> done.add(3));
        assertThat(order.waiting("p")).isEqualTo(3);

        second.complete(true);
        assertThat(done).isEmpty();
        first.complete(true);

        assertThat(done).containsExactly(1, 2, 3);
        assertThat(order.waiting("p")).isZero();
    }

    @Test
    void doesNotLetOnePublisherWaitForAnother() {
        order.whenDone("p", new CompletableFuture<>(), () -> done.add(1));
        assertThat(order.isFree("p")).isFalse();
        assertThat(order.isFree("q")).isTrue();

        order.whenDone("q", CompletableFuture.completedFuture(true), () -> done.add(2));

        assertThat(done).containsExactly(2);
    }

    @Test
    void goesOnWhenAnActionOrAStageFails() {
        CompletableFuture<Boolean> failing = new CompletableFuture<>();
        order.whenDone("p", failing, () -> {
            throw new IllegalStateException("no");
        });
        order.whenDone("p", CompletableFuture.completedFuture(true), () -> done.add(2));

        failing.completeExceptionally(new IllegalStateException("disk"));

        assertThat(done).containsExactly(2);
        assertThat(order.isFree("p")).isTrue();
    }

    @Test
    void keepsTheOrderWhenManyThreadsCompleteTheStages() {
        int count = 20_000;
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            for (int i = 0; i < count; i++) {
                int number = i;
                CompletableFuture<Boolean> stage = new CompletableFuture<>();
                order.whenDone("p", stage, () -> done.add(number));
                threads.execute(() -> stage.complete(true));
            }
        }

        assertThat(done).isEqualTo(IntStream.range(0, count).boxed().toList());
        assertThat(order.isFree("p")).isTrue();
    }
}
