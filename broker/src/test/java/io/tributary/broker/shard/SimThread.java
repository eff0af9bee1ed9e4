package io.tributary.broker.shard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** A thread of a simulated process: runs tasks one after the other, each after a moment, until the process dies. */
final class SimThread implements ShardExecutor {
    private static final int TURN_TASKS = 4;

    private final SimClock clock;
    private final int slowestMillis;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<Runnable> turnEnds = new ArrayList<>();
    private int doneInTurn;
    private boolean scheduled;
    private boolean running;
    private boolean paused;
    private boolean dead;

    SimThread(SimClock clock, int slowestMillis) {
        this.clock = clock;
        this.slowestMillis = slowestMillis;
    }

    @Override
    public void execute(Runnable task) {
        if (!dead) {
            tasks.add(task);
            schedule();
        }
    }

    @Override
    public void atEndOfTurn(Runnable action) {
        turnEnds.add(action);
    }

    /** Whether one of its tasks is running. */
    boolean isRunning() {
        return running;
    }

    /** Runs nothing until it goes on, like a process in a long garbage collection. */
    void pause() {
        paused = true;
    }

    void goOn() {
        paused = false;
        schedule();
    }

    /** Runs nothing any more. */
    void die() {
        dead = true;
        tasks.clear();
        turnEnds.clear();
    }

    private void schedule() {
        if (!scheduled && !tasks.isEmpty()) {
            scheduled = true;
            clock.after(clock.between(0, slowestMillis), this::runNext);
        }
    }

    private void runNext() {
        scheduled = false;
        if (dead || paused) {
            return;
        }
        running = true;
        try {
            tasks.remove().run();
            doneInTurn++;
            if (tasks.isEmpty() || doneInTurn == TURN_TASKS) {
                doneInTurn = 0;
                List.copyOf(turnEnds).forEach(Runnable::run);
                turnEnds.clear();
            }
        } finally {
            running = false;
        }
        schedule();
    }
}
