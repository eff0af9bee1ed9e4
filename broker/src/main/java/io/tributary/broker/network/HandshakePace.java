package io.tributary.broker.network;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the handshakes of an event loop half of its time at most, in pieces of half a millisecond: between these,
 * sockets are read and written, so that a storm of new connections does not delay messages. Confined to the event loop.
 */
final class HandshakePace {
    private static final Logger LOG = LoggerFactory.getLogger(HandshakePace.class);
    private static final long PIECE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final EventLoop loop;
    private final LongSupplier nanoClock;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean scheduled;

    HandshakePace(EventLoop loop, LongSupplier nanoClock) {
        this.loop = loop;
        this.nanoClock = nanoClock;
    }

    /** Does the step of a handshake soon, behind those that were given before. */
    void run(Runnable step) {
        waiting.add(step);
        if (!scheduled) {
            schedule(0);
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
            LOG.debug("event loop is closed, handshakes are dropped", ended);
        }
    }

    private void piece() {
        scheduled = false;
        long begin = nanoClock.getAsLong();
        long took = 0;
        Runnable next = waiting.poll();
        while (next != null) {
            next.run();
            took = nanoClock.getAsLong() - begin;
            next = took < PIECE_NANOS ? waiting.poll() : null;
        }
        if (!waiting.isEmpty()) {
            schedule(Math.max(1, took));
        }
    }
}
