package io.tributary.security.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests of many clients to a service that works, or fails for some, or for all. */
class RequestQueueTest {
    private static final String HOSTILE = "203.0.113.66";

    private final AtomicLong nanos = new AtomicLong();

    @Test
    void serviceThatFailsForSeveralAddressesIsLeftInPeaceAndTriedByAFew() {
        RequestQueue queue = new RequestQueue(20, 3, nanos::get);
        List<CompletableFuture<String>> sent = new ArrayList<>();
        open(queue);
        assertThat(submit(queue, "a", sent)).isCompletedExceptionally();
        nanos.addAndGet(RequestQueue.PEACE.toNanos() - 1);
        assertThat(submit(queue, "a", sent)).isCompletedExceptionally();
        assertThat(sent).isEmpty();
        nanos.incrementAndGet();
        CompletableFuture<String> trial = submit(queue, "a", sent);
        assertThat(submit(queue, "a", sent)).as("one of each").isCompletedExceptionally();
        for (int i = 1; i < RequestQueue.FAILURES; i++) {
            assertThat(submit(queue, "b" + i, sent)).isNotDone();
        }
        assertThat(submit(queue, "c", sent)).as("so many").isCompletedExceptionally();
        assertThat(sent).hasSize(RequestQueue.FAILURES);
        sent.get(1).completeExceptionally(new IllegalStateException("broken"));
        assertThat(submit(queue, "c", sent)).isCompletedExceptionally();
        sent.getFirst().complete("well");
        assertThat(trial).isCompletedWithValue("well");
        assertThat(submit(queue, "c", sent)).isNotDone();
        assertThat(submit(queue, "c", sent)).isNotDone();
    }

    @Test
    void successInBetweenKeepsTheCircuitClosed() {
        RequestQueue queue = new RequestQueue(20, 3, nanos::get);
        for (int i = 0; i < 3 * RequestQueue.FAILURES; i++) {
            fail(queue, "a" + i);
            if (i % (RequestQueue.FAILURES - 1) == 0) {
                assertThat(queue.submit("b", () -> CompletableFuture.completedFuture("well")))
                        .isCompletedWithValue("well");
            }
        }
        assertThat(submit(queue, "c", new ArrayList<>())).isNotDone();
    }

    /** Ten minutes of steps of a millisecond: what one client sends fails, at once or after a while. */
    @ParameterizedTest
    @CsvSource({"0, false", "0, true", "2000, false", "2000, true"})
    void oneHostileClientKeepsNobodyElseOut(long failsAfterMillis, boolean wasOpen) {
        RequestQueue queue = new RequestQueue(64, 1_000, nanos::get);
        if (wasOpen) {
            open(queue);
            nanos.addAndGet(RequestQueue.PEACE.toNanos());
        }
        record Pending(long untilMillis, CompletableFuture<String> request) {}
        Deque<Pending> pending = new ArrayDeque<>();
        int refused = 0;
        for (long millis = 0; millis < 600_000; millis++) {
            nanos.addAndGet(1_000_000);
            while (!pending.isEmpty() && pending.getFirst().untilMillis() <= millis) {
                pending.removeFirst().request().completeExceptionally(new IllegalStateException("broken"));
            }
            if (millis % 50 == 0) {
                long until = millis + failsAfterMillis;
                CompletableFuture<String> _ = queue.submit(HOSTILE, () -> {
                    CompletableFuture<String> request = new CompletableFuture<>();
                    pending.add(new Pending(until, request));
                    return request;
                });
            }
            if (millis % 1_000 == 25) {
                String honest = "198.51.100." + millis / 1_000 % 100;
                CompletableFuture<String> answer =
                        queue.submit(honest, () -> CompletableFuture.completedFuture("well"));
                refused += answer.isDone() && !answer.isCompletedExceptionally() ? 0 : 1;
            }
        }
        assertThat(refused).isZero();
    }

    @Test
    void onlySoManyAreSentAtOnceAndSoManyWait() {
        RequestQueue queue = new RequestQueue(2, 3, System::nanoTime);
        List<CompletableFuture<String>> sent = new ArrayList<>();
        List<CompletableFuture<String>> results = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            results.add(submit(queue, "203.0.113.1", sent));
        }
        assertThat(sent).hasSize(2);
        assertThat(results.get(5)).isCompletedExceptionally();
        for (int i = 0; i < 5; i++) {
            sent.get(i).complete("well");
        }
        assertThat(results.subList(0, 5))
                .allSatisfy(result -> assertThat(result).isCompletedWithValue("well"));
        await().until(() -> sent.size() == 5);
    }

    @Test
    void requestThatCannotBeWrittenTakesNoPlaceForGood() {
        RequestQueue queue = new RequestQueue(1, 1, System::nanoTime);
        CompletableFuture<String> failed = queue.submit("203.0.113.1", () -> {
            throw new StackOverflowError("a user name that is too deep");
        });
        assertThat(failed).isCompletedExceptionally();
        List<CompletableFuture<String>> sent = new ArrayList<>();
        CompletableFuture<String> _ = submit(queue, "203.0.113.1", sent);
        assertThat(sent).hasSize(1);
    }

    private static CompletableFuture<String> submit(
            RequestQueue queue, String address, List<CompletableFuture<String>> sent) {
        return queue.submit(address, () -> {
            CompletableFuture<String> next = new CompletableFuture<>();
            sent.add(next);
            return next;
        });
    }

    /** Opens the circuit. */
    private static void open(RequestQueue queue) {
        for (int i = 0; i < RequestQueue.FAILURES; i++) {
            fail(queue, "d" + i);
        }
    }

    private static void fail(RequestQueue queue, String address) {
        assertThat(queue.submit(
                        address, () -> CompletableFuture.<String>failedFuture(new IllegalStateException("broken"))))
                .isCompletedExceptionally();
    }
}
