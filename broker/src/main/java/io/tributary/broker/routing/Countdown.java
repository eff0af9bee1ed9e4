package io.tributary.broker.routing;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Waits until all parts of a message's delivery are done. Any thread. */
final class Countdown {
    private final AtomicInteger left;
    private final Consumer<@Nullable Throwable> whenDone;
    private volatile @Nullable Throwable failure;

    /**
     * Creates one.
     *
     * @param count how many parts there are, at least one
     * @param whenDone told once, on the thread that is done last, with the failure of a part or null
     */
    Countdown(int count, Consumer<@Nullable Throwable> whenDone) {
        this.left = new AtomicInteger(count);
        this.whenDone = whenDone;
    }

    /** A part is done. */
    void done() {
        done(null);
    }

    /** A part is done, or has failed. */
    void done(@Nullable Throwable partFailure) {
        if (partFailure != null) {
            failure = partFailure;
        }
        if (left.decrementAndGet() == 0) {
            whenDone.accept(failure);
        }
    }
}
