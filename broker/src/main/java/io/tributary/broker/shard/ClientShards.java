package io.tributary.broker.shard;

import io.tributary.common.event.ShardEvent;
import io.tributary.persistence.shard.AppendCallback;

/** The shards, as connections of clients use them. Any thread; never blocks. */
public interface ClientShards extends ConnectionShards {

    /** {@link Shards#mayAttach}. */
    boolean mayAttach(String clientId);

    /** {@link Shards#isWritable}. */
    boolean isWritable();

    /** {@link Shards#attachAnswered}. */
    void attachAnswered(String clientId);

    /** {@link Shards#release}. */
    void release(ShardEvent.Release release, AppendCallback callback);

    /** {@link Shards#received}. */
    void received(String clientId, long epoch, long[] sequences);

    /** {@link Shards#sessions}. */
    long sessions(String tenant);

    /** {@link Shards#isCongested}. */
    boolean isCongested();

    /** {@link Shards#onRoom}. */
    void onRoom(Runnable action);
}
