package io.tributary.common.thread;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Connections that wait for room, in the logs or in memory, or until the node is current, which is called room here,
 * too. The source of room is asked once for all of them, and a connection that ends leaves nothing behind: clients come
 * and go for as long as there is no room. Any thread.
 */
public final class RoomQueue {
    private final Consumer<Runnable> onRoom;
    private final Set<Waiting> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean asked = new AtomicBoolean();

    /**
     * Creates an empty queue.
     *
     * @param onRoom runs an action once when there is room, at once when there is some now
     */
    public RoomQueue(Consumer<Runnable> onRoom) {
        this.onRoom = onRoom;
    }

    /**
     * Runs the action once when there is room, perhaps at once.
     *
     * @return gives up waiting
     */
    public Runnable await(Runnable action) {
        Waiting one = new Waiting(action);
        waiting.add(one);
        if (asked.compareAndSet(false, true)) {
            onRoom.accept(this::runAll);
        }
        return () -> waiting.remove(one);
    }

    /** How many wait. */
    public int size() {
        return waiting.size();
    }

    private void runAll() {
        asked.set(false); // before looking, so that a waiter that is missed asks again
        List.copyOf(waiting).forEach(this::run);
    }

    private void run(Waiting one) {
        if (waiting.remove(one)) {
            one.action.run();
        }
    }

    /** A waiter; compared by identity. */
    private static final class Waiting {
        private final Runnable action;

        private Waiting(Runnable action) {
            this.action = action;
        }
    }
}
