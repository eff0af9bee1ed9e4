package io.tributary.broker.shard.fold;

/**
 * Where a session is counted with others, those of its tenant for instance. The fold says what changes, and asks
 * nothing: what it folds does not depend on it. Confined to the thread of the shard.
 */
public interface Tally {

    /** Counts nothing. */
    Tally NONE = (_, _, _) -> {};

    /**
     * What is there has changed by this much.
     *
     * @param sessions sessions, transient ones too
     * @param persistent sessions that outlive their connection
     * @param queuedBytes the size of their queues, in bytes
     */
    void add(int sessions, int persistent, long queuedBytes);

    /** Whether the queues have, together, as much as they may; for the owner, when a message came to one of them. */
    default boolean isFull() {
        return false;
    }
}
