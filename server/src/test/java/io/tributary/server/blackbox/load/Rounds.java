package io.tributary.server.blackbox.load;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** How many messages each publisher may publish by now, and whether the test is over. Thread-safe. */
public final class Rounds {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int allowed;
    private boolean over;

    /** Lets each publisher publish so many more. */
    public void allow(int messages) {
        lock.lock();
        try {
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

    /** Waits a moment between two attempts to connect, or until the test is over. */
    void pause() throws InterruptedException {
        awaitMore(Integer.MAX_VALUE, Duration.ofMillis(20));
    }
}
