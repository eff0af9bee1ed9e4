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

    private final EventLoopGroup loops;
    private final List<Probe> probes = new ArrayList<>();

    LoopLag(EventLoopGroup loops) {
        this.loops = loops;
        for (EventExecutor _ : loops) {
            probes.add(new Probe());
        }
    }

    /** Begins to measure, which ends with the loops. */
    void begin() {
        int i = 0;
        for (EventExecutor loop : loops) {
            Probe probe = probes.get(i++);
            probe.dueNanos = System.nanoTime() + BETWEEN_NANOS;
            var _ = loop.scheduleAtFixedRate(probe, BETWEEN_NANOS, BETWEEN_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    /** The longest delay of any loop within the last second, also of a task that is due and has not begun; 0 before. */
    long nanos() {
        return probes.stream().mapToLong(Probe::nanos).max().orElse(0);
    }

    private static final class Probe implements Runnable {
        private final long[] last = new long[A_SECOND]; // on the loop's thread alone
        private int next;

        private volatile long longestNanos;
        /** When the task is to run; 0 before the beginning. Written by the loop's thread, once it has begun. */
        private volatile long dueNanos;

        @Override
        public void run() {
            long due = dueNanos;
            last[next] = System.nanoTime() - due;
            next = (next + 1) % A_SECOND;
            longestNanos = Arrays.stream(last).max().orElse(0);
            dueNanos = due + BETWEEN_NANOS;
        }

        long nanos() {
            long due = dueNanos;
            return due == 0 ? 0 : Math.max(0, Math.max(longestNanos, System.nanoTime() - due));
        }
    }
}
