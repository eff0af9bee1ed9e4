package io.tributary.broker.shard;

import java.util.concurrent.Executor;

/** Runs the tasks of a shard one after the other. What is confined to it asserts that at its entries. */
@FunctionalInterface
interface ShardExecutor extends Executor {
    /**
     * Whether the calling thread is the one that runs the tasks at the moment; a test that has one thread needs no
     * answer.
     */
    default boolean isCaller() {
        return true;
    }

    /**
     * Runs the action once the tasks that wait are done, or many of them; at once where tasks do not wait. Only for
     * what it runs.
     */
    default void atEndOfTurn(Runnable action) {
        action.run();
    }
}
