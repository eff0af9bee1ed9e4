package io.tributary.broker.fake;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** How much memory something allocates: an upper limit of what it keeps. */
public final class Allocated {
    private Allocated() {}

    /** The bytes that the action allocates on this thread. */
    public static long bytesBy(Runnable action) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        action.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
