package io.tributary.broker.relocation;

/** Counts clients that are sent to other nodes. */
@FunctionalInterface
public interface RelocationRecorder {

    /** Why they are sent there. */
    enum Cause {
        /** The node is drained. */
        DRAIN,
        /** The node has more clients than others. */
        REBALANCE
    }

    /** So many clients were told to go. */
    void sentAway(Cause cause, int clients);
}
