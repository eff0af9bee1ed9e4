package io.tributary.persistence.limit;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A limit of bytes in use: of what waits to be made durable, or is on its way. Safe for all threads and without locks.
 * Below half of the limit everything is admitted, however large, so that a record larger than the limit is not refused
 * for ever.
 */
public final class ByteBudget {
    private final long limit;
    private final long lowWatermark;
    private final AtomicLong used = new AtomicLong();
    private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    /** Creates one of which nothing is in use. */
    public ByteBudget(long limit) {
        this.limit = limit;
        this.lowWatermark = limit / 2;
    }

    /** Takes the bytes from the budget, or nothing when they do not fit. */
    public boolean tryAcquire(long bytes) {
        while (true) {
            long before = used.get();
            if (before > lowWatermark && before + bytes > limit) {
                return false;
            }
            if (used.compareAndSet(before, before + bytes)) {
                return true;
            }
        }
    }

    /** Takes the bytes, whether they fit or not. */
    public void acquire(long bytes) {
        used.addAndGet(bytes);
    }

    /** Whether as much as the limit is in use, or more. */
    public boolean isFull() {
        return used.get() >= limit;
    }

    /** Takes as much as nothing fits beside, until it is released: what was admitted before stays admitted. */
    public void block() {
        acquire(limit);
    }

    /** Ends what {@link #block} began. */
    public void unblock() {
        release(limit);
    }

    /** Gives bytes back that were acquired; runs what waits for room when there is some. */
    public void release(long bytes) {
        if (used.addAndGet(-bytes) <= lowWatermark) {
            runWaiting();
        }
    }

    /** Runs the action once when no more than half of the budget is in use, at once when that is so now. */
    public void onRoom(Runnable action) {
        waiting.add(action);
        if (used.get() <= lowWatermark) {
            runWaiting();
        }
    }

    private void runWaiting() {
        // An action that is refused again and waits again is for the next time: no more than now wait are run.
        for (int left = waiting.size(); left > 0; left--) {
            @Nullable Runnable action = waiting.poll();
            if (action == null) {
                return;
            }
            action.run();
        }
    }
}
