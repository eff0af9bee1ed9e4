package io.tributary.broker.relocation;

import org.jspecify.annotations.Nullable;

/** The process around the node that serves clients. */
public interface Host {

    /** The node that serves clients; null while none does. */
    @Nullable
    ServingNode node();

    /**
     * Ends the node in order: its clients, its shards, its place in the cluster. Blocks until done.
     *
     * @return false when there was none to end, and another one begins
     */
    boolean release();

    /** Begins to serve clients again after {@link #release}; does not wait until they are served. */
    void resume();
}
