package io.tributary.security.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.Asker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What waits while the only thread is held, and in which order it is done then. */
class WorkPoolTest {
    private static final int ROOM = 6;
    private static final Asker ATTACKER = new Asker("203.0.113.1", () -> true);
    private static final Asker HONEST = new Asker("203.0.113.2", () -> true);

    private final WorkPool pool = WorkPool.computing("test", 1, ROOM);
    private final CountDownLatch held = new CountDownLatch(1);
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void hold() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CompletionStage<Boolean> _ = pool.submit(() -> {
            begun.countDown();
            try {
                held.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return true;
        });
        begun.await();
    }

    @AfterEach
    void close() {
        held.countDown();
        pool.close();
    }

    @Test
    void addressesTakeTurnsWhenOneWantsMuch() {
        List<CompletableFuture<String>> all = flood(4, ATTACKER);
        all.add(submit(HONEST, "h0"));
        all.add(submit(HONEST, "h1"));
        release(all);
        assertThat(done).containsExactly("a0", "h0", "a1", "h1", "a2", "a3");
    }

    @Test
    void floodOfOneAddressIsRefusedFirstWhenThereIsNoRoom() {
        List<CompletableFuture<String>> flood = flood(ROOM + 3, ATTACKER);
        assertThat(flood.subList(ROOM, ROOM + 3)).allMatch(WorkPoolTest::isRefused);
        CompletableFuture<String> honest = submit(HONEST, "h0");
        assertThat(flood.get(ROOM - 1)).matches(WorkPoolTest::isRefused);
        CompletableFuture<String> ofNobody =
                pool.submit(noting("administrator")).toCompletableFuture();
        assertThat(flood.get(ROOM - 2)).matches(WorkPoolTest::isRefused);
        List<CompletableFuture<String>> rest = new ArrayList<>(flood.subList(0, ROOM - 2));
        rest.addAll(List.of(honest, ofNobody));
        release(rest);
        assertThat(done).containsExactly("administrator", "a0", "h0", "a1", "a2", "a3");
    }

    @Test
    void nothingIsDoneForAClientThatIsGone() {
        CompletableFuture<String> gone = submit(new Asker("203.0.113.3", () -> false), "gone");
        CompletableFuture<String> here = submit(HONEST, "here");
        release(List.of(here));
        assertThat(gone).matches(WorkPoolTest::isRefused);
        assertThat(done).containsExactly("here");
    }

    private List<CompletableFuture<String>> flood(int count, Asker asker) {
        return new ArrayList<>(
                IntStream.range(0, count).mapToObj(i -> submit(asker, "a" + i)).toList());
    }

    private CompletableFuture<String> submit(Asker asker, String name) {
        return pool.submit(asker, noting(name)).toCompletableFuture();
    }

    private Supplier<String> noting(String name) {
        return () -> {
            done.add(name);
            return name;
        };
    }

    private void release(List<CompletableFuture<String>> rest) {
        held.countDown();
        rest.forEach(CompletableFuture::join);
    }

    private static boolean isRefused(CompletableFuture<?> future) {
        return future.isCompletedExceptionally() && future.exceptionNow() instanceof RejectedExecutionException;
    }
}
