package io.tributary.broker.loop;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives work of one kind, such as handshakes, half of an event loop's time at most, in pieces of half a millisecond or
 * one step: between these, sockets are read and written, so that a storm of it does not delay messages. A task that
 * puts itself into the loop's queue again would not do: Netty runs what it finds there for a second before it looks at
 * sockets. Confined to the event loop.
 */
public final class LoopShare {
    private static final Logger LOG = LoggerFactory.getLogger(LoopShare.class);
    private static final long PIECE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final EventExecutor loop;
    private final LongSupplier nanoClock;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean scheduled;

    /** Creates one. */
    public LoopShare(EventExecutor loop, LongSupplier nanoClock) {
        this.loop = loop;
        this.nanoClock = nanoClock;
    }

    /** Does a step of the work soon, behind those that were given before. */
    public void run(Runnable step) {
        waiting.add(step);
        if (!scheduled) {
            schedule(0);
        }
    }

    /** Does all that waits, and what that adds, at once: there are no sockets any more. */
    void finish() {
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }

    private void schedule(long delayNanos) {
        try {
            if (delayNanos == 0) {
                loop.execute(this::piece);
            } else {
                var _ = loop.schedule(this::piece, delayNanos, TimeUnit.NANOSECONDS);
            }
            scheduled = true;
        } catch (RejectedExecutionException ended) {
            LOG.debug("event loop is closed, steps are not done", ended);
        }
    }

    /** A step may add another: that one is a part of this piece, or waits as all do. */
    private void piece() {
        long begin = nanoClock.getAsLong();
        long took = 0;
        try {
            for (Runnable next = waiting.poll(); next != null; next = took < PIECE_NANOS ? waiting.poll() : null) {
                next.run();
                took = nanoClock.getAsLong() - begin;
            }
        } finally {
            scheduled = false;
            if (!waiting.isEmpty()) {
                schedule(Math.max(1, took));
            }
        }
    }
}
