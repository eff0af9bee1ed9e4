package io.tributary.security.http;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests to a service: so many at once, the next ones wait, and more fail at once. After {@link #FAILURES} failures
 * in a row all fail at once for {@link #PEACE}; then a single one is tried. Thread-safe.
 */
final class RequestQueue {
    /** How many failures in a row open the circuit. */
    static final int FAILURES = 5;

    /** How long the service is left in peace. */
    static final Duration PEACE = Duration.ofSeconds(5);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private final int atOnce;
    private final int mostWaiting;
    private final LongSupplier nanoTime;

    // Guarded by this.
    private final Deque<Request<?>> waiting = new ArrayDeque<>();
    private int running;
    private int failures;
    private long failedNanos;

    RequestQueue(int atOnce, int mostWaiting, LongSupplier nanoTime) {
        this.atOnce = atOnce;
        this.mostWaiting = mostWaiting;
        this.nanoTime = nanoTime;
    }

    private record Request<T>(Supplier<CompletableFuture<T>> send, CompletableFuture<T> result, long nanos) {}

    /** Sends the request when it is its turn; fails when there are too many, or the service is left in peace. */
    <T> CompletableFuture<T> submit(Supplier<CompletableFuture<T>> send) {
        Request<T> request = new Request<>(send, new CompletableFuture<>(), nanoTime.getAsLong());
        synchronized (this) {
            if (isOpen()) {
                return CompletableFuture.failedFuture(
                        new IllegalStateException("the service has failed " + failures + " times in a row"));
            }
            if (running == atOnce) {
                if (waiting.size() == mostWaiting) {
                    return CompletableFuture.failedFuture(
                            new IllegalStateException("too many requests wait for the service"));
                }
                waiting.add(request);
                return request.result();
            }
            running++;
        }
        run(request);
        return request.result();
    }

    /** Whether the service is left in peace; when it was long enough, the caller's request is the one that is tried. */
    private boolean isOpen() {
        if (failures < FAILURES) {
            return false;
        }
        long now = nanoTime.getAsLong();
        if (now - failedNanos < PEACE.toNanos()) {
            return true;
        }
        failedNanos = now;
        return false;
    }

    private <T> void run(Request<T> request) {
        CompletableFuture<T> sent;
        try {
            sent = request.send().get();
        } catch (RuntimeException | Error e) { // else its place would never be free again
            sent = CompletableFuture.failedFuture(e);
        }
        CompletableFuture<T> _ = sent.whenComplete((answer, failure) -> {
            Request<?> next = finished(failure);
            if (failure == null) {
                request.result().complete(answer);
            } else {
                request.result().completeExceptionally(failure);
            }
            if (next != null) {
                run(next);
            }
        });
    }

    /** Counts the result, and gives the request whose turn it is; those that have waited too long fail. */
    private synchronized @Nullable Request<?> finished(@Nullable Throwable failure) {
        failures = failure == null ? 0 : failures + 1;
        if (failure != null) {
            failedNanos = nanoTime.getAsLong();
        }
        Request<?> next = waiting.poll();
        while (next != null && (failures >= FAILURES || nanoTime.getAsLong() - next.nanos() > LONGEST_WAIT.toNanos())) {
            next.result().completeExceptionally(new IllegalStateException("the service did not answer others"));
            next = waiting.poll();
        }
        if (next == null) {
            running--;
        }
        return next;
    }
}
