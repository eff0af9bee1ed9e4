package io.tributary.persistence.rocksdb;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A limit of the bytes that wait for their commit. Safe for all threads and without locks. Below half of the limit
 * everything is admitted, however large, so that a record larger than the limit is not refused for ever.
 */
final class ByteBudget {
    private final long limit;
    private final long lowWatermark;
    private final AtomicLong used = new AtomicLong();
    private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    ByteBudget(long limit) {
        this.limit = limit;
        this.lowWatermark = limit / 2;
    }

    /** Takes the bytes from the budget, or nothing when they do not fit. */
    boolean tryAcquire(long bytes) {
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

    void release(long bytes) {
        if (used.addAndGet(-bytes) <= lowWatermark) {
            runWaiting();
        }
    }

    /** Runs the action once when no more than half of the budget is in use, at once when that is so now. */
    void onRoom(Runnable action) {
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
