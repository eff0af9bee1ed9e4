package io.tributary.broker.network;

import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How late tasks of the event loops begin: what clients wait for before anything else happens. A task of each loop is
 * due four times a second. Its delay has the time in which the whole process stood still, too: a container that has
 * used up its limit of processors, a collector's pause. A task that is handed over and run at once would not see it.
 *
 * <p>Thread-safe, but for {@link #begin}, which is for one thread, once.
 */
final class LoopLag {
    private static final long BETWEEN_NANOS = Duration.ofMillis(250).toNanos();
    private static final int A_SECOND = 4;

    private final List<Probe> probes = new ArrayList<>();

    LoopLag(EventLoopGroup loops) {
        for (EventExecutor loop : loops) {
            probes.add(new Probe(loop));
        }
    }

    /** Begins to measure, which ends with the loops. */
    void begin() {
        probes.forEach(Probe::begin);
    }

    /**
     * The longest delay of any loop within the last second, also of a task that is due and has not begun; 0 before the
     * beginning and once the loops end.
     */
    long nanos() {
        return probes.stream().mapToLong(Probe::nanos).max().orElse(0);
    }

    private static final class Probe implements Runnable {
        private final EventExecutor loop;
        private final long[] last = new long[A_SECOND]; // on the loop's thread alone
        private int next;

        private volatile long longestNanos;
        /** When the task is to run; 0 before the beginning. Written by the loop's thread, once it has begun. */
        private volatile long dueNanos;

        Probe(EventExecutor loop) {
            this.loop = loop;
        }

        void begin() {
            dueNanos = System.nanoTime() + BETWEEN_NANOS;
            var _ = loop.schedule(this, BETWEEN_NANOS, TimeUnit.NANOSECONDS);
        }

        /** Times that were missed are left out: their shorter delays would take the place of the long one. */
        @Override
        public void run() {
            long now = System.nanoTime();
            long late = Math.max(0, now - dueNanos);
            last[next] = late;
            next = (next + 1) % A_SECOND;
            longestNanos = Arrays.stream(last).max().orElse(0);
            long left = BETWEEN_NANOS - late % BETWEEN_NANOS;
            dueNanos = now + left;
            var _ = loop.schedule(this, left, TimeUnit.NANOSECONDS);
        }

        long nanos() {
            long due = dueNanos;
            return due == 0 || loop.isShuttingDown() ? 0 : Math.max(longestNanos, System.nanoTime() - due);
        }
    }
}
