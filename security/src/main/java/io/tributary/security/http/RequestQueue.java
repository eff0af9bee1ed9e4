package io.tributary.security.http;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests to a service: so many at once, the next ones wait, and more fail at once. When those of {@link #FAILURES}
 * addresses have failed and none has succeeded in between, the circuit is open: all fail at once for {@link #PEACE}. In
 * each {@link #PEACE} from then on as many addresses have one request each tried, until one succeeds. So one client
 * whose requests the service cannot bear opens nothing, and keeps nothing open. Thread-safe.
 */
final class RequestQueue {
    /** The requests of how many addresses have to fail to open the circuit, and are tried while it is open. */
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
    private boolean isOpen;
    private long beganNanos; // the peace, or the time of trials

    /** Addresses: while closed those that failed since the last success, while open those that were tried. */
    private final Set<String> failed = new HashSet<>();

    RequestQueue(int atOnce, int mostWaiting, LongSupplier nanoTime) {
        this.atOnce = atOnce;
        this.mostWaiting = mostWaiting;
        this.nanoTime = nanoTime;
    }

    private record Request<T>(
            String address, Supplier<CompletableFuture<T>> send, CompletableFuture<T> result, long nanos) {}

    /**
     * Sends the request when it is its turn; fails when there are too many, or the service is left in peace.
     *
     * @param address whose request it is
     */
    <T> CompletableFuture<T> submit(String address, Supplier<CompletableFuture<T>> send) {
        Request<T> request = new Request<>(address, send, new CompletableFuture<>(), nanoTime.getAsLong());
        synchronized (this) {
            if (isOpen && !mayTry(address)) {
                return CompletableFuture.failedFuture(new IllegalStateException(
                        "the service is left in peace: requests from " + FAILURES + " addresses failed in a row"));
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

    /** Whether the request of the address is one of those that are tried while the circuit is open. */
    private boolean mayTry(String address) {
        long now = nanoTime.getAsLong();
        if (now - beganNanos >= PEACE.toNanos()) {
            beganNanos = now;
            failed.clear();
        }
        return failed.size() < FAILURES && failed.add(address);
    }

    private <T> void run(Request<T> request) {
        CompletableFuture<T> sent;
        try {
            sent = request.send().get();
        } catch (RuntimeException | Error e) { // else its place would never be free again
            sent = CompletableFuture.failedFuture(e);
        }
        CompletableFuture<T> _ = sent.whenComplete((answer, failure) -> {
            Request<?> next = finished(request.address(), failure);
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
    private synchronized @Nullable Request<?> finished(String address, @Nullable Throwable failure) {
        if (failure == null) {
            isOpen = false;
            failed.clear();
        } else if (!isOpen) {
            failed.add(address);
            isOpen = failed.size() == FAILURES;
            beganNanos = nanoTime.getAsLong();
        }
        Request<?> next = waiting.poll();
        while (next != null && (isOpen || nanoTime.getAsLong() - next.nanos() > LONGEST_WAIT.toNanos())) {
            next.result().completeExceptionally(new IllegalStateException("the service did not answer others"));
            next = waiting.poll();
        }
        if (next == null) {
            running--;
        }
        return next;
    }
}
