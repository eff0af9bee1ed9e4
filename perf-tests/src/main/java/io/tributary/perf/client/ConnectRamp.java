package io.tributary.perf.client;

import io.tributary.perf.scenario.ConnectOptions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Connects clients at a rate, with a bound on those that are not ready yet. For one thread. */
final class ConnectRamp {
    private static final double NANOS = 1e9;

    private final double nanosBetween;
    private final int pending;

    ConnectRamp(ConnectOptions options, int processes) {
        nanosBetween = NANOS / (options.rate() / processes);
        pending = options.pending();
    }

    /**
     * Connects all of them, and waits until they are ready.
     *
     * @param how begins to connect one; ends when its place is free
     */
    void go(List<LoadClient> clients, Function<LoadClient, CompletableFuture<Void>> how) {
        Semaphore places = new Semaphore(pending);
        AtomicInteger failures = new AtomicInteger();
        AtomicReference<@Nullable Throwable> first = new AtomicReference<>();
        long started = System.nanoTime();
        for (int i = 0; i < clients.size(); i++) {
            await(started + (long) (i * nanosBetween));
            places.acquireUninterruptibly();
            var _ = how.apply(clients.get(i)).whenComplete((_, failure) -> {
                if (failure != null) {
                    failures.incrementAndGet();
                    first.compareAndSet(null, failure);
                }
                places.release();
            });
        }
        places.acquireUninterruptibly(pending);
        Throwable failure = first.get();
        if (failure != null) {
            throw new CrewException(
                    failures + " of " + clients.size() + " clients could not connect; the first: "
                            + failure.getMessage(),
                    failure);
        }
    }

    private static void await(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
