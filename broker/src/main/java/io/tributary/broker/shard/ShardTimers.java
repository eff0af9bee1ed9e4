package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.collection.NameTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * When the sessions of a shard that are offline leave their wills or expire; one timer a session, for what comes first.
 * Takes some 40 bytes for each timer. Confined to the thread of the driver.
 */
final class ShardTimers {
    private static final int MOST_AT_ONCE = 1000;

    /** Those that are replaced or removed stay here until they are due, or are more than the others. */
    private PriorityQueue<Timer> timers = newQueue();

    private final ByClient byClient = new ByClient();

    private record Timer(long dueMillis, String clientId) {}

    private static final class ByClient extends NameTable<Timer> {
        @Override
        protected boolean isNamed(Timer entry, String name) {
            return entry.clientId.equals(name);
        }
    }

    private static PriorityQueue<Timer> newQueue() {
        return new PriorityQueue<>(Comparator.comparingLong(Timer::dueMillis).thenComparing(Timer::clientId));
    }

    /** Sets the timer of a session that has no connection to the first thing that is due after the given moment. */
    void set(SessionState client, long afterMillis) {
        String clientId = client.clientId();
        long due = Math.min(
                ifAfter(afterMillis, client.willDueAtMillis()), ifAfter(afterMillis, client.expiresAtMillis()));
        if (due == Long.MAX_VALUE) {
            remove(clientId);
            return;
        }
        Timer known = byClient.get(clientId);
        if (known == null || known.dueMillis != due) {
            Timer timer = new Timer(due, clientId);
            timers.add(timer);
            byClient.put(clientId, timer);
            forgetOldOnes();
        }
    }

    /** Removes the timer of a session, if it has one. */
    void remove(String clientId) {
        if (byClient.remove(clientId) != null) {
            forgetOldOnes();
        }
    }

    private void forgetOldOnes() {
        if (timers.size() > 2 * byClient.size() + MOST_AT_ONCE) {
            timers = newQueue();
            timers.addAll(byClient.entries());
        }
    }

    private boolean isCurrent(Timer timer) {
        return timer.equals(byClient.get(timer.clientId));
    }

    /** Takes the clients whose timers are due, a bounded number at once. */
    List<String> takeDue(long nowMillis) {
        List<String> due = new ArrayList<>();
        Timer first = timers.peek();
        for (int looked = 0; looked < MOST_AT_ONCE && isDue(first, nowMillis); looked++) {
            timers.remove();
            if (isCurrent(first)) {
                byClient.remove(first.clientId);
                due.add(first.clientId);
            }
            first = timers.peek();
        }
        return due;
    }

    private static boolean isDue(@Nullable Timer timer, long nowMillis) {
        return timer != null && timer.dueMillis <= nowMillis;
    }

    private static long ifAfter(long afterMillis, long dueMillis) {
        return dueMillis > afterMillis ? dueMillis : Long.MAX_VALUE;
    }
}
