package io.tributary.broker.shard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Has a client's connection wait for how the one before ended, which it has taken over from another node: that node reads the
 * socket first, and there may be a DISCONNECT in it. For 100 to 200 ms, since a node that does not answer may keep nobody from
 * connecting. Confined to the thread of the driver.
 */
final class LastWords {
    private static final int TICKS_TO_WAIT = 2;

    private final Map<String, Awaited> clients = new HashMap<>();
    /** Those that are not heard yet, the one that waits longest first. */
    private final Set<Awaited> unheard = new LinkedHashSet<>();

    private long ticks;

    /** What is known of the connection before. */
    static final class Awaited {
        final String clientId;
        /** The connection that is waited for; of several that took each other over the latest. */
        long epoch;
        /** Whether one of them has ended the session. */
        boolean isSessionOver;

        private long untilTick;
        private final List<Runnable> waiting = new ArrayList<>(1);

        private Awaited(String clientId) {
            this.clientId = clientId;
        }
    }

    /** How the connection with the epoch ended is waited for. */
    void await(String clientId, long epoch) {
        Awaited awaited = clients.computeIfAbsent(clientId, Awaited::new);
        awaited.epoch = epoch;
        awaited.untilTick = ticks + TICKS_TO_WAIT;
        unheard.remove(awaited);
        unheard.add(awaited);
    }

    /** Whether how a connection ended is waited for. */
    boolean isAwaited(String clientId, long epoch) {
        Awaited awaited = clients.get(clientId);
        return awaited != null && awaited.epoch == epoch && unheard.contains(awaited);
    }

    /** How a connection ended is known. Returns null when nobody waits for that. */
    @Nullable
    Awaited heard(String clientId, long epoch) {
        Awaited awaited = clients.get(clientId);
        return awaited != null && awaited.epoch == epoch && unheard.remove(awaited) ? awaited : null;
    }

    /** Runs the action when there is nothing to wait for any more, perhaps at once. */
    void then(String clientId, Runnable action) {
        Awaited awaited = clients.get(clientId);
        if (awaited == null) {
            action.run();
        } else {
            awaited.waiting.add(action);
        }
    }

    /** The client's connection has its session for good, or none any more; how the one before ended may still be waited for. */
    void release(String clientId) {
        Awaited awaited = clients.get(clientId);
        if (awaited != null) {
            List<Runnable> actions = List.copyOf(awaited.waiting);
            awaited.waiting.clear();
            if (!unheard.contains(awaited)) {
                clients.remove(clientId);
            }
            actions.forEach(Runnable::run);
        }
    }

    /** Ten times a second. Returns those that are not waited for any longer. */
    List<Awaited> tick() {
        ticks++;
        List<Awaited> late = unheard.stream()
                .takeWhile(awaited -> awaited.untilTick <= ticks)
                .toList();
        late.forEach(unheard::remove);
        return late;
    }
}
