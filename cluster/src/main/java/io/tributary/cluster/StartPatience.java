package io.tributary.cluster;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * How long a start waits for what it stands on: Kafka and Redis have one time together, which whoever watches the start
 * can know.
 *
 * @param endNanos when that time is over, as {@link System#nanoTime} tells
 * @param least what Redis has of it in any case, for Kafka may come up at the last moment
 * @param givenUp completes when the start is not to be waited for any more
 */
record StartPatience(long endNanos, Duration least, CompletableFuture<?> givenUp) {
    private static final int LEAST_SHARE = 10;

    static StartPatience begin(Duration ofBoth, CompletableFuture<?> givenUp) {
        return new StartPatience(System.nanoTime() + ofBoth.toNanos(), ofBoth.dividedBy(LEAST_SHARE), givenUp);
    }

    /** How long Redis is waited for from now on. */
    Duration left() {
        Duration left = Duration.ofNanos(endNanos - System.nanoTime());
        return left.compareTo(least) > 0 ? left : least;
    }

    /**
     * Waits for Kafka, whose clients end each wait of a thread that is interrupted: this one is when the start is given
     * up.
     */
    <T> T interruptibly(Supplier<T> wait) {
        Waiting waiting = new Waiting(Thread.currentThread());
        CompletableFuture<?> _ = givenUp.whenComplete((_, _) -> waiting.interrupt());
        try {
            return wait.get();
        } finally {
            waiting.end();
        }
    }

    /** A thread that may be interrupted as long as it waits. */
    private static final class Waiting {
        private final Thread thread;

        // Guarded by this.
        private boolean isOver;
        private boolean isInterrupted;

        Waiting(Thread thread) {
            this.thread = thread;
        }

        synchronized void interrupt() {
            if (!isOver) {
                isInterrupted = true;
                thread.interrupt();
            }
        }

        /** What the thread does next is not interrupted. */
        synchronized void end() {
            isOver = true;
            if (isInterrupted) {
                boolean _ = Thread.interrupted();
            }
        }
    }
}
