package io.tributary.broker.network;

import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;

/**
 * How long a task waits for its event loop: what clients wait for before anything else happens. Measured by a task for
 * each loop, of which there is one at a time. {@link #sample} on one thread, the rest on any.
 */
final class LoopLag {
    private final List<Probe> probes = new ArrayList<>();

    LoopLag(EventLoopGroup loops) {
        for (EventExecutor loop : loops) {
            probes.add(new Probe(loop));
        }
    }

    /** Begins to measure once more; to be called about once a second. */
    void sample() {
        probes.forEach(Probe::begin);
    }

    /** The longest wait of any loop, of the last measurement or of the one that goes on. */
    long nanos() {
        return probes.stream().mapToLong(Probe::nanos).max().orElse(0);
    }

    private static final class Probe {
        private static final long NONE = -1;

        private final EventExecutor loop;
        /** When the task was handed over that has not run yet, or {@link #NONE}; by {@link System#nanoTime}, positive. */
        private volatile long begunNanos = NONE;

        private volatile long lastNanos;

        Probe(EventExecutor loop) {
            this.loop = loop;
        }

        void begin() {
            if (begunNanos == NONE && !loop.isShuttingDown()) {
                begunNanos = System.nanoTime() & Long.MAX_VALUE;
                loop.execute(this::ran);
            }
        }

        private void ran() {
            lastNanos = waiting(begunNanos);
            begunNanos = NONE;
        }

        long nanos() {
            long begun = begunNanos;
            return begun == NONE ? lastNanos : Math.max(lastNanos, waiting(begun));
        }

        private static long waiting(long begun) {
            return (System.nanoTime() - begun) & Long.MAX_VALUE;
        }
    }
}
