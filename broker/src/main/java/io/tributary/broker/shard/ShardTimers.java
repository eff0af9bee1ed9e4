package io.tributary.broker.shard;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * When the sessions of a shard that are offline expire or leave their wills. A timer that is out of date, because its session
 * was resumed, is dropped when it is due. Confined to the thread of the driver.
 */
final class ShardTimers {
    private static final int MOST_AT_ONCE = 1000;

    private final PriorityQueue<Timer> timers = new PriorityQueue<>(Comparator.comparingLong(Timer::dueMillis));

    /** A session's timers are due; the epoch is that of the connection that it lost. */
    record Timer(long dueMillis, String clientId, long epoch) {}

    /** Sets the timers of a session that has no connection. */
    void set(ClientState client) {
        add(client, client.willDueAtMillis);
        add(client, client.expiresAtMillis());
    }

    /** Takes what is due, a bounded number at once. */
    List<Timer> takeDue(long nowMillis) {
        List<Timer> due = new ArrayList<>();
        for (Timer next = timers.peek();
                next != null && next.dueMillis <= nowMillis && due.size() < MOST_AT_ONCE;
                next = timers.peek()) {
            due.add(timers.remove());
        }
        return due;
    }

    private void add(ClientState client, long dueMillis) {
        if (dueMillis != Long.MAX_VALUE) {
            timers.add(new Timer(dueMillis, client.clientId, client.epoch));
        }
    }
}
