package io.tributary.cluster.redis;

/**
 * Counts what goes to Redis and comes back. Called on the client library's threads and on those of callers: it must be
 * quick, never block and never throw.
 */
public interface RedisRecorder {

    /** Counts nothing. */
    RedisRecorder NONE = new RedisRecorder() {};

    /** The purposes of calls to Redis, one script each. */
    enum Operation {
        /** A shard changed hands. */
        CLAIM,
        /** A save point. */
        SAVE,
        /** A page of sessions or wills. */
        READ_SESSIONS,
        /** A page of a session's queue. */
        READ_QUEUE
    }

    /** Why a call failed. */
    enum Failure {
        /** The shard has a newer owner, or its state is at another offset. */
        FENCED,
        /** No answer in time. */
        TIMEOUT,
        /** No connection, or the cluster is without the slot, loading, failing over or moving the slot. */
        UNAVAILABLE,
        /** Redis is full: its memory limit is reached. */
        OUT_OF_MEMORY,
        /** Too many reads of queues wait already, or one has waited too long for its turn. */
        OVERLOADED,
        /** Anything else; the log says what. */
        OTHER
    }

    /**
     * A call succeeded.
     *
     * @param nanos from the call to its answer
     * @param sentBytes the size of its keys and arguments
     * @param receivedBytes the size of the answer
     */
    default void onCall(Operation operation, long nanos, long sentBytes, long receivedBytes) {}

    /** A call failed. */
    default void onFailure(Operation operation, Failure failure) {}

    /** How many reads of queues wait because enough of them are on their way; called when that goes down. */
    default void onWaitingReads(int count) {}
}
