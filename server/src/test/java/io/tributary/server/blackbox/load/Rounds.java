package io.tributary.server.blackbox.load;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** How many messages each publisher may publish by now, and whether the test is over. Thread-safe. */
public final class Rounds {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** When messages from this number on were allowed. */
    private final TreeMap<Integer, Long> allowedAtNanos = new TreeMap<>(Map.of(0, System.nanoTime()));

    private int allowed;
    private boolean over;

    /** Lets each publisher publish so many more. */
    public void allow(int messages) {
        lock.lock();
        try {
            allowedAtNanos.put(allowed, System.nanoTime());
            allowed += messages;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all clients as soon as they look. */
    public void end() {
        lock.lock();
        try {
            over = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** How many each publisher may publish by now. */
    public int allowed() {
        lock.lock();
        try {
            return allowed;
        } finally {
            lock.unlock();
        }
    }

    /** When each publisher was to publish its message of this number. */
    long dueNanos(int number) {
        lock.lock();
        try {
            return allowedAtNanos.floorEntry(number).getValue();
        } finally {
            lock.unlock();
        }
    }

    /** Whether all clients are to end. */
    public boolean isOver() {
        lock.lock();
        try {
            return over;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until more than the given number may be published, until the test is over, or for some time. */
    void awaitMore(int published, Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        lock.lockInterruptibly();
        try {
            while (allowed <= published && !over && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
