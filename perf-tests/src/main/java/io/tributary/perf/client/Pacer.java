package io.tributary.perf.client;

import io.netty.channel.EventLoop;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/**
 * Lets the publishers of an event loop publish when their messages are due, in the order of time. Confined to the event
 * loop.
 */
final class Pacer {
    private final EventLoop loop;
    private final RunClock clock;
    private final PriorityQueue<Publisher> waiting = new PriorityQueue<>(Comparator.comparingLong(Publisher::dueNanos));
    /** When the next turn is due; the largest number when none is. */
    private long nextTurnNanos = Long.MAX_VALUE;

    Pacer(EventLoop loop, RunClock clock) {
        this.loop = loop;
        this.clock = clock;
    }

    /** Calls {@link Publisher#publishDue} at the publisher's time. It is in here once at most. */
    void add(Publisher publisher) {
        waiting.add(publisher);
        if (publisher.dueNanos() < nextTurnNanos) {
            schedule();
        }
    }

    /** Does not call it any more. */
    void remove(Publisher publisher) {
        waiting.remove(publisher);
    }

    private void schedule() {
        nextTurnNanos = waiting.element().dueNanos();
        var _ = loop.schedule(this::turn, Math.max(0, nextTurnNanos - clock.nanos()), TimeUnit.NANOSECONDS);
    }

    private void turn() {
        nextTurnNanos = Long.MAX_VALUE;
        long now = clock.nanos();
        while (!waiting.isEmpty() && waiting.element().dueNanos() <= now) {
            Publisher publisher = waiting.remove();
            if (publisher.publishDue(now)) {
                waiting.add(publisher);
            }
        }
        if (!waiting.isEmpty()) {
            schedule();
        }
    }
}
