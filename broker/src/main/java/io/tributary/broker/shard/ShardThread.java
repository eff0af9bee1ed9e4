package io.tributary.broker.shard;

import io.tributary.common.thread.Turn;
import io.tributary.common.thread.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs some of the node's shards, one task after the other: on a thread of its own, or at the end of the {@link Turn}
 * of a thread that queued something, while its own is idle and there is little to do. Tasks that wait together, up to
 * 64 or for a millisecond, are a turn. What is queued is bounded by its senders: the log is paused when a driver is
 * behind, a connection has a window, and a driver reads one page a session and saves once at a time.
 */
public final class ShardThread implements ShardExecutor, TickingThread {
    private static final Logger LOG = LoggerFactory.getLogger(ShardThread.class);
    private static final long TICK_NANOS = 100_000_000;
    /** What another thread does of the tasks here before it goes on with its own. */
    private static final int LITTLE_RECORDS = 64;

    /** The records that a task counts as when nobody knows how long it takes. */
    static final int MUCH = LITTLE_RECORDS + 1;

    private static final int TURN_TASKS = 64;
    private static final long TURN_NANOS = 1_000_000;

    private final Queue<Task> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waitingRecords = new AtomicInteger();
    private final List<Runnable> ticks = new ArrayList<>(); // only at work
    private final List<Runnable> turnEnds = new ArrayList<>(); // only at work
    private final Thread thread;
    private final Worker worker;
    private volatile boolean stopping;

    /** Creates one that waits for {@link #start}; what is queued before runs then. */
    public ShardThread(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        worker = new Worker(thread, new Tasks());
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public void everyTick(Runnable tick) {
        execute(() -> ticks.add(tick));
    }

    /** Runs a task that may take long: on the thread itself. */
    @Override
    public void execute(Runnable task) {
        execute(MUCH, task);
    }

    /** Any thread may ask. */
    @Override
    public boolean isCaller() {
        return worker.isCaller();
    }

    /** Runs a task that takes as long as so many records do, where they are few on whatever thread. */
    public void execute(int records, Runnable task) {
        waitingRecords.addAndGet(records);
        tasks.add(new Task(records, task));
        worker.queued();
    }

    @Override
    public void atEndOfTurn(Runnable action) {
        assert isCaller();
        turnEnds.add(action);
    }

    /** Has what is queued run now. */
    void wake() {
        worker.queued();
    }

    /**
     * Queues something behind what is queued already, without waking the thread: when nothing else does, it runs at the
     * next tick.
     */
    void executeSoon(Runnable task) {
        tasks.add(new Task(0, task));
    }

    @Override
    public void stop() {
        stopping = true;
        worker.wake();
        try {
            thread.join(10_000);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        long nextTick = System.nanoTime() + TICK_NANOS;
        while (!stopping || !tasks.isEmpty()) {
            long now = System.nanoTime();
            if (now - nextTick >= 0) {
                nextTick = now + TICK_NANOS;
                ticks.forEach(ShardThread::runSafely);
            }
            takeTurn(() -> true);
            if (!stopping && tasks.isEmpty()) {
                worker.rest(nextTick - System.nanoTime());
            }
        }
    }

    /** Runs tasks while they may be run, not too many, and then what they have asked for. */
    private void takeTurn(BooleanSupplier mayRun) {
        long begin = System.nanoTime();
        for (int done = 0; done < TURN_TASKS && System.nanoTime() - begin < TURN_NANOS; done++) {
            Task task = tasks.peek();
            if (task == null || !mayRun.getAsBoolean()) { // its records were counted before it was queued
                break;
            }
            tasks.remove(); // nobody else does while this one is at work
            run(task);
        }
        for (int i = 0; i < turnEnds.size(); i++) { // one may ask for another
            runSafely(turnEnds.get(i));
        }
        turnEnds.clear();
    }

    private void run(Task task) {
        waitingRecords.addAndGet(-task.records());
        runSafely(task.action());
    }

    private static void runSafely(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("A shard's task failed; this is a defect", e);
        }
    }

    /** Something to do, and the records that it counts as. */
    private record Task(int records, Runnable action) {}

    /** What another thread does here. */
    private final class Tasks implements Worker.Work {
        @Override
        public boolean isWaiting() {
            return !tasks.isEmpty();
        }

        @Override
        public boolean isLittle() {
            return waitingRecords.get() <= LITTLE_RECORDS;
        }

        @Override
        public void doLittle() {
            takeTurn(this::isLittle);
        }
    }
}
