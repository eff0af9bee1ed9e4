package io.tributary.broker.shard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Has a client's next connection wait until the will of the one before is forwarded: what the client publishes then
 * comes behind it. A second at most, for nobody may be kept from connecting. Confined to the thread of the driver.
 */
final class WillsFirst {
    private static final int TICKS_TO_WAIT = 10;

    private final Map<String, UnderWay> clients = new HashMap<>();
    /** The wills that connections wait for; more come at the end. */
    private final Set<UnderWay> awaited = new LinkedHashSet<>();

    private final Runnable afterwards;
    private long ticks;

    /** What is left to do for the wills of a client. */
    private static final class UnderWay {
        int steps;
        long untilTick;
        final List<Runnable> waiting = new ArrayList<>(1);

        void run() {
            List<Runnable> actions = List.copyOf(waiting);
            waiting.clear();
            actions.forEach(Runnable::run);
        }
    }

    /** @param afterwards run when those that waited for a client's wills have gone on */
    WillsFirst(Runnable afterwards) {
        this.afterwards = afterwards;
    }

    /** A step of publishing a will of the client begins. */
    void begin(String clientId) {
        clients.computeIfAbsent(clientId, _ -> new UnderWay()).steps++;
    }

    /** A step is done. */
    void done(String clientId) {
        UnderWay wills = clients.get(clientId);
        if (wills != null && --wills.steps == 0) {
            clients.remove(clientId);
            awaited.remove(wills);
            wills.run();
        }
        afterwards.run();
    }

    /** Runs the action when no will of the client is under way, perhaps at once. */
    void then(String clientId, Runnable action) {
        UnderWay wills = clients.get(clientId);
        if (wills == null) {
            action.run();
            return;
        }
        if (wills.waiting.isEmpty()) {
            wills.untilTick = ticks + TICKS_TO_WAIT;
            awaited.add(wills);
        }
        wills.waiting.add(action);
    }

    /** Ten times a second. */
    void tick() {
        ticks++;
        List<UnderWay> late =
                awaited.stream().takeWhile(wills -> wills.untilTick <= ticks).toList();
        late.forEach(awaited::remove);
        late.forEach(UnderWay::run);
    }
}
