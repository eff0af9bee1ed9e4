package io.tributary.broker.shard;

import io.tributary.persistence.shard.SavePoint.WillKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Has a client's connection wait for how those before ended, which took over from each other on other nodes: such a
 * node reads the socket first, and there may be a DISCONNECT in it. For 100 to 200 ms each, since a node that does not
 * answer may keep nobody from connecting. Confined to the thread of the driver.
 */
final class LastWords {
    private static final int TICKS_TO_WAIT = 2;

    private final Map<String, Awaited> clients = new HashMap<>();
    /** The connections that are not heard yet, the one that is waited for longest first; until which tick. */
    private final Map<WillKey, Long> unheard = new LinkedHashMap<>();

    private long ticks;

    /** The earlier connections of one client. */
    private static final class Awaited {
        int unheard;
        /** The latest of them that has ended its session, -1 for none: the epoch. */
        long endedBy = -1;

        final List<Runnable> waiting = new ArrayList<>(1);
    }

    /** How the connection with the epoch ended is waited for. */
    void await(String clientId, long epoch) {
        if (unheard.put(new WillKey(clientId, epoch), ticks + TICKS_TO_WAIT) == null) {
            clients.computeIfAbsent(clientId, _ -> new Awaited()).unheard++;
        }
    }

    /** Whether how a connection ended is waited for. */
    boolean isAwaited(String clientId, long epoch) {
        return unheard.containsKey(new WillKey(clientId, epoch));
    }

    /** Whether how any connection of a client ended is waited for. */
    boolean isAwaited(String clientId) {
        Awaited awaited = clients.get(clientId);
        return awaited != null && awaited.unheard > 0;
    }

    /**
     * How a connection ended is known.
     *
     * @param isSessionOver whether it has ended its session
     * @return false when no connection waits for that
     */
    boolean heard(String clientId, long epoch, boolean isSessionOver) {
        if (unheard.remove(new WillKey(clientId, epoch)) == null) {
            return false;
        }
        Awaited awaited = clients.get(clientId);
        if (awaited != null) {
            awaited.unheard--;
            awaited.endedBy = isSessionOver ? Math.max(awaited.endedBy, epoch) : awaited.endedBy;
        }
        return true;
    }

    /**
     * Whether one of a client's connections before has ended this session. What it ended may have been an earlier one.
     */
    boolean haveEnded(String clientId, long session) {
        Awaited awaited = clients.get(clientId);
        return awaited != null && awaited.endedBy >= session;
    }

    /** Runs the action when no earlier connection is waited for any more, perhaps at once. */
    void then(String clientId, Runnable action) {
        Awaited awaited = clients.get(clientId);
        if (awaited == null) {
            action.run();
        } else {
            awaited.waiting.add(action);
        }
    }

    /**
     * The client's connection has its session for good, or none any more; how one before ended may still be waited for.
     */
    void release(String clientId) {
        Awaited awaited = clients.get(clientId);
        if (awaited != null) {
            List<Runnable> actions = List.copyOf(awaited.waiting);
            awaited.waiting.clear();
            if (awaited.unheard == 0) {
                clients.remove(clientId);
            }
            actions.forEach(Runnable::run);
        }
    }

    /** Ten times a second. Returns those that are not waited for any longer. */
    List<WillKey> tick() {
        ticks++;
        List<WillKey> late = unheard.entrySet().stream()
                .takeWhile(each -> each.getValue() <= ticks)
                .map(Map.Entry::getKey)
                .toList();
        late.forEach(each -> heard(each.clientId(), each.epoch(), false));
        return late;
    }
}
