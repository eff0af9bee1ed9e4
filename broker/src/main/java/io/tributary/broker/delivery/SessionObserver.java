package io.tributary.broker.delivery;

import java.util.Iterator;
import java.util.function.ToLongFunction;

/** Told by a shard's owner which sessions of the shard are over. Called on a shard thread; it must not block. */
public interface SessionObserver {
    /** The session is over: its subscriptions go. May be told more than once, also after a restart. */
    void sessionEnded(String clientId, long session);

    /**
     * The owner has folded the shard's log to its end and knows all its sessions: subscriptions of others go.
     *
     * @param upTo the offset up to which the log is folded; sessions with a larger identity may exist
     * @param sessionOf the identity of a client's session at the moment, -1 when it has none
     * @return what there is to do, in small steps, which the owner runs one after the other on the shard's thread, for
     *     as long as it has the shard
     */
    Iterator<Runnable> shardLive(int shard, long upTo, ToLongFunction<String> sessionOf);
}
