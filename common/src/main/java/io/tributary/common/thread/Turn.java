package io.tributary.common.thread;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The turns of a thread that does things in turns, as an event loop does. What it gives to an idle {@link Worker} in a
 * turn, it does itself when the turn ends, if that is little; otherwise the worker's thread is woken then. Confined to
 * the thread.
 */
public final class Turn {
    private static final ThreadLocal<@Nullable Turn> OF_THREAD = new ThreadLocal<>();

    private final BooleanSupplier beforeFirst;
    private List<Worker> idle = new ArrayList<>();
    private List<Worker> ending = new ArrayList<>();

    private Turn(BooleanSupplier beforeFirst) {
        this.beforeFirst = beforeFirst;
    }

    /**
     * Has the calling thread take turns from now on.
     *
     * @param beforeFirst called when an idle worker gets something and nothing was due before; false when {@link #end}
     *     will not be called any more
     */
    public static Turn begin(BooleanSupplier beforeFirst) {
        Turn turn = new Turn(beforeFirst);
        OF_THREAD.set(turn);
        return turn;
    }

    /** Has the calling thread look after a worker that is idle, when its turn ends; false when it has no turns. */
    static boolean joins(Worker worker) {
        Turn turn = OF_THREAD.get();
        return turn != null && turn.add(worker);
    }

    private boolean add(Worker worker) {
        if (idle.contains(worker)) {
            return true;
        }
        if (idle.isEmpty() && !beforeFirst.getAsBoolean()) {
            return false;
        }
        idle.add(worker);
        return true;
    }

    /** Whether an idle worker got something that is to be done in {@link #end}. */
    public boolean isDue() {
        return !idle.isEmpty();
    }

    /**
     * Ends a turn: does what idle workers got, or has their threads do it. That may give something to idle workers
     * again.
     */
    public void end() {
        List<Worker> workers = idle;
        idle = ending;
        ending = workers;
        try {
            workers.forEach(Worker::help);
        } finally {
            workers.clear();
        }
    }
}
