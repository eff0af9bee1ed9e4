package io.tributary.broker.shard;

/** Counts what the shards do. Called on shard threads; must not block. */
public interface ShardRecorder {

    /** Why a message left a queue without being delivered, or a will went nowhere. */
    enum Drop {
        /** The queue was at its limit. */
        QUEUE_FULL,
        /** The queues of its session's tenant had, together, as many bytes as they may. */
        TENANT_QUEUES_FULL,
        /** Its expiry interval was over. */
        EXPIRED,
        /** The store had lost it: somebody else has deleted it there. */
        LOST_IN_STORE,
        /** QoS 0 messages for sessions of this node's shards came faster than they could be passed on. */
        OWNER_BUSY,
        /** A will, because it could not be routed, though that was tried several times. */
        WILL_FAILED
    }

    /** Of how many messages one is told of to {@link #handedOn}. */
    int SAMPLE = 16;

    /** A message was handed to its connection at once, so long after it was appended to the log. */
    default void handedOn(long millis) {}

    /** A message left a queue without being delivered, or a will went nowhere. */
    default void dropped(Drop reason) {}

    /** A message on this topic expired in a queue before it was sent. */
    default void deadlineMissed(String topic) {}

    /** Whether anything is counted by {@link #deadlineMissed}: where not, the topic need not be looked up. */
    default boolean countsDeadlines() {
        return false;
    }

    /** So many queued messages of sessions that are away were looked at for whether they have expired. */
    default void lookedForExpired(long messages) {}

    /** A save point is stored. */
    default void saved(int queuedEntries) {}

    /** A save point or a read failed and is tried again. */
    default void storeFailed() {}

    /** Records were folded. */
    default void folded(int records) {}

    /** The log had deleted so many records before they were applied: their changes are lost. */
    default void recordsLost(long records) {}

    /** An application's topic had so many records deleted before the application was done with them. */
    default void topicRecordsLost(long records) {}

    /** An application's topic was deleted, or lost its end, while its session lives. */
    default void topicMadeAnew() {}

    /** An application is so far behind. */
    default void lag(String clientId, ApplicationLag lag) {}

    /** This node does not know any more how far an application is behind. */
    default void lagUnknown(String clientId) {}

    /** A shard's log has lost records that it had, which this owner noticed; it goes on behind them. */
    default void logWentBack(int shard) {}

    /** A shard whose log was cut was rebuilt from what its owners had repeated in the log; nothing is lost. */
    default void restored(int shard) {}

    /** The next log snapshot of a shard of this node is not complete though it was due so long ago; 0 if it was not. */
    default void snapshotDelay(int shard, long millis) {}

    /** A new owner has folded a shard's log to its end and serves its sessions. */
    default void live(int shard, int sessions) {}

    /** Counts nothing. */
    ShardRecorder NONE = new ShardRecorder() {};
}
