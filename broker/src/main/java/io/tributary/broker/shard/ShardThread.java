package io.tributary.broker.shard;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that runs some of the node's shards, one task after the other. What is queued is bounded by those who queue it:
 * the log is paused when a driver is behind, a connection has a window, and a driver reads one page a session and saves once at a
 * time.
 */
public final class ShardThread implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(ShardThread.class);
    private static final long TICK_NANOS = 100_000_000;

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean parked = new AtomicBoolean();
    private final List<Runnable> ticks = new ArrayList<>(); // on the thread only
    private final Thread thread;
    private volatile boolean stopping;

    /** Creates one that waits for {@link #start}; what is queued before runs then. */
    public ShardThread(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    /** Begins to run what is queued. */
    public void start() {
        thread.start();
    }

    /** Runs something on the thread some ten times a second from now on. */
    public void everyTick(Runnable tick) {
        execute(() -> ticks.add(tick));
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        wake();
    }

    /** Has the thread run what is queued now. */
    void wake() {
        if (parked.get() && parked.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
        }
    }

    /**
     * Queues something behind what is queued already, without waking the thread: when nothing else does, it runs at the next
     * tick.
     */
    void executeSoon(Runnable task) {
        tasks.add(task);
    }

    /** Ends the thread after what is queued now; blocks until it has. */
    public void stop() {
        stopping = true;
        execute(() -> {});
        try {
            thread.join(10_000);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        long nextTick = System.nanoTime() + TICK_NANOS;
        while (true) {
            Runnable task = tasks.poll();
            long now = System.nanoTime();
            if (now - nextTick >= 0) {
                nextTick = now + TICK_NANOS;
                ticks.forEach(ShardThread::runSafely);
            }
            if (task != null) {
                runSafely(task);
            } else if (stopping) {
                return;
            } else {
                park(nextTick - now);
            }
        }
    }

    private void park(long nanos) {
        parked.set(true);
        if (tasks.isEmpty()) {
            LockSupport.parkNanos(this, Math.max(1, nanos));
        }
        parked.set(false);
    }

    private static void runSafely(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("A shard's task failed; this is a defect", e);
        }
    }
}
