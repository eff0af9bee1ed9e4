package io.tributary.cluster.node;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The time of this process, and a thread on which short tasks run later. Time does not jump with the wall clock. */
public interface ClusterTimer {

    /** Nanoseconds since an arbitrary moment; any thread. */
    long nanos();

    /** Runs a task once, on the timer's one thread. Any thread; dropped when the timer has ended. */
    void after(long delayNanos, Runnable task);

    /**
     * The timer of an executor.
     *
     * @param executor has one thread, and discards tasks that come after its end
     */
    static ClusterTimer on(ScheduledExecutorService executor) {
        return new ClusterTimer() {
            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // tasks of the cluster do not fail
            public void after(long delayNanos, Runnable task) {
                executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            }
        };
    }
}
