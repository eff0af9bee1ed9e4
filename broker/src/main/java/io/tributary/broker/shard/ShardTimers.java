package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * When the sessions of a shard that are offline leave their wills or expire; one timer a session, for what comes first.
 * Confined to the thread of the driver.
 */
final class ShardTimers {
    private static final int MOST_AT_ONCE = 1000;

    private final NavigableSet<Timer> timers =
            new TreeSet<>(Comparator.comparingLong(Timer::dueMillis).thenComparing(Timer::clientId));
    private final Map<String, Timer> byClient = new HashMap<>();

    private record Timer(long dueMillis, String clientId) {}

    /** Sets the timer of a session that has no connection to the first thing that is due after the given moment. */
    void set(SessionState client, long afterMillis) {
        remove(client.clientId());
        long due = Math.min(
                ifAfter(afterMillis, client.willDueAtMillis()), ifAfter(afterMillis, client.expiresAtMillis()));
        if (due != Long.MAX_VALUE) {
            Timer timer = new Timer(due, client.clientId());
            timers.add(timer);
            byClient.put(client.clientId(), timer);
        }
    }

    /** Removes the timer of a session, if it has one. */
    void remove(String clientId) {
        @Nullable Timer timer = byClient.remove(clientId);
        if (timer != null) {
            timers.remove(timer);
        }
    }

    /** Takes the clients whose timers are due, a bounded number at once. */
    List<String> takeDue(long nowMillis) {
        List<String> due = new ArrayList<>();
        while (!timers.isEmpty() && timers.first().dueMillis <= nowMillis && due.size() < MOST_AT_ONCE) {
            String clientId = timers.first().clientId;
            remove(clientId);
            due.add(clientId);
        }
        return due;
    }

    private static long ifAfter(long afterMillis, long dueMillis) {
        return dueMillis > afterMillis ? dueMillis : Long.MAX_VALUE;
    }
}
