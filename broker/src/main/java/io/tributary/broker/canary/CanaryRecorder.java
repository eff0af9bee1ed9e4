package io.tributary.broker.canary;

/** Counts what becomes of the canary's messages. Called on an event loop; must be cheap. */
public interface CanaryRecorder {

    /** The session that a message goes through. */
    enum Kind {
        /** It ends with its connection; messages for it go straight to its node. */
        TRANSIENT,
        /** Messages for it go through the log of its shard. */
        PERSISTENT
    }

    /** Where a message goes. */
    enum To {
        /** To the node that sends it. */
        SELF,
        /** To another node, which sends it back. */
        OTHERS
    }

    /** A message is back, so long after it was published. */
    void cameBack(Kind session, To to, long nanos);

    /** A message was not back in time. */
    void lost(Kind session, To to);
}
