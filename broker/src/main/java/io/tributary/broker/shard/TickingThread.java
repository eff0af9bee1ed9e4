package io.tributary.broker.shard;

import java.util.concurrent.Executor;

/** A thread that runs tasks one after the other, and some of them again and again. */
public interface TickingThread extends Executor {

    /** Begins to run what is queued. */
    void start();

    /** Runs something some ten times a second from now on; any thread may ask. */
    void everyTick(Runnable tick);

    /** Whether the calling thread is the one that runs the tasks at the moment. */
    boolean isCaller();

    /** Ends the thread after what is queued now; blocks until it has. */
    void stop();
}
