package io.tributary.common.thread;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that one thread at a time works off a queue: the thread that is there for it, or, while that one is idle
 * and there is little to do, a thread at the end of its {@link Turn} that has put something into the queue. Waking a
 * thread costs more than a small piece of work, and takes longer.
 *
 * <p>Each sees what those before it have done. Everything may be called from any thread, unless it says otherwise.
 *
 * <p>Decided in docs/decisions/0013-idle-threads-are-helped.md.
 */
public final class Worker {
    /** No thread is trusted to end its turn when it has taken longer than that. */
    private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Thread thread;
    private final Work work;
    private final AtomicReference<@Nullable Thread> at;
    private volatile boolean isThreadWaiting;

    /** The queue of the worker. */
    public interface Work {
        /** Whether there is something to do; any thread. */
        boolean isWaiting();

        /** Whether all that there is to do is so little that a thread with other duties may do it; any thread. */
        boolean isLittle();

        /** Does a little of what there is, without waiting for anything; by the one at work. */
        void doLittle();
    }

    /**
     * Creates one that is at work with its thread.
     *
     * @param thread the thread that is there for it; it works until it {@link #rest rests}, and for good when it ends
     */
    public Worker(Thread thread, Work work) {
        this.thread = thread;
        this.work = work;
        at = new AtomicReference<>(thread);
    }

    /**
     * Something was put into the queue: if nobody is at work, the caller does it when its turn ends, or, if there is
     * much, the thread is woken now.
     */
    public void queued() {
        if (at.get() == null && !(work.isLittle() && Turn.joins(this))) {
            LockSupport.unpark(thread);
        }
    }

    /** Wakes the thread, should it rest. */
    public void wake() {
        LockSupport.unpark(thread);
    }

    /** Whether the calling thread is the one at work. */
    public boolean isCaller() {
        return Thread.currentThread().equals(at.get());
    }

    /**
     * Lets others work until there is something to do, the time is over, or {@link #wake}; only for the thread itself.
     */
    public void rest(long nanos) {
        at.set(null);
        if (!work.isWaiting()) {
            LockSupport.parkNanos(this, Math.clamp(nanos, 1, LONGEST_REST_NANOS));
        }
        while (!at.compareAndSet(null, thread)) {
            isThreadWaiting = true;
            if (at.get() != null) {
                LockSupport.park(this);
            }
            isThreadWaiting = false;
        }
    }

    /** Does what there is, or has the thread do it. */
    void help() {
        if (!work.isWaiting()) {
            return;
        }
        if (at.compareAndSet(null, Thread.currentThread())) {
            try {
                if (work.isLittle()) {
                    work.doLittle();
                }
            } finally {
                at.set(null);
                if (isThreadWaiting || work.isWaiting()) {
                    LockSupport.unpark(thread);
                }
            }
        }
    }
}
