package io.tributary.broker.shard;

import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * The time and the chance of a simulation: runs what is due in the order of a virtual clock, and draws from one seed.
 */
final class SimClock {
    /** An arbitrary moment far enough from zero that differences stay positive. */
    private static final long START_MILLIS = 1_000_000;

    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private final SplittableRandom random;
    private long nowMillis = START_MILLIS;
    private long steps;

    private record Task(long atMillis, long order, Runnable action) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            return atMillis == other.atMillis
                    ? Long.compare(order, other.order)
                    : Long.compare(atMillis, other.atMillis);
        }
    }

    SimClock(long seed) {
        random = new SplittableRandom(seed);
    }

    long nowMillis() {
        return nowMillis;
    }

    /** How many tasks have been put on the clock, to name a point of a history. */
    long steps() {
        return steps;
    }

    void after(long millis, Runnable action) {
        tasks.add(new Task(nowMillis + millis, steps++, action));
    }

    /** Runs everything that is due until the given moment. */
    void runUntil(long millis) {
        while (!tasks.isEmpty() && tasks.peek().atMillis <= millis) {
            Task task = tasks.remove();
            nowMillis = task.atMillis;
            task.action.run();
        }
        nowMillis = millis;
    }

    /** A number from 0 to below the bound. */
    int below(int bound) {
        return random.nextInt(bound);
    }

    /** A number within two bounds, inclusive. */
    int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    <T> T oneOf(List<T> choices) {
        return choices.get(below(choices.size()));
    }
}
