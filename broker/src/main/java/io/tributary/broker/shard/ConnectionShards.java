package io.tributary.broker.shard;

import io.tributary.common.event.ShardEvent;
import java.util.function.LongConsumer;

/**
 * The shards, as every connection of a session uses them, be it a client's or that of a group. Any thread; never
 * blocks.
 */
public interface ConnectionShards {

    /** {@link Shards#attach}. */
    void attach(ShardEvent.Attach attach, LongConsumer appended);

    /** {@link Shards#detach}. */
    void detach(ShardEvent.Detach detach, Runnable logged);

    /** {@link Shards#settle}. */
    void settle(String clientId, long epoch, long[] sequences);

    /** {@link Shards#owns}. */
    boolean owns(String clientId);
}
