package io.tributary.cluster.node;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A cluster timer, and a wall clock, that a test moves; tasks run on the thread of the test. */
final class ManualTimer implements ClusterTimer {
    private static final long START_NANOS =
            Long.MAX_VALUE - Duration.ofSeconds(10).toNanos(); // it may wrap
    private static final long START_MILLIS = 1_800_000_000_000L;

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
    private long passed;
    private long order;

    private record Task(long at, long order, Runnable action) {}

    @Override
    public long nanos() {
        return START_NANOS + passed;
    }

    long wallMillis() {
        return START_MILLIS + Duration.ofNanos(passed).toMillis();
    }

    @Override
    public void after(long delayNanos, Runnable task) {
        tasks.add(new Task(passed + delayNanos, order++, task));
    }

    /** Lets time pass, and runs what is due meanwhile. */
    void pass(Duration time) {
        long until = passed + time.toNanos();
        while (!tasks.isEmpty() && tasks.peek().at <= until) {
            Task task = tasks.remove();
            passed = task.at;
            task.action.run();
        }
        passed = until;
    }
}
