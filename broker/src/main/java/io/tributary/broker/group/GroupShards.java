package io.tributary.broker.group;

import io.tributary.broker.shard.Shards;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import java.util.function.LongConsumer;

/** The shards, as the hosts of shared subscriptions use them. Any thread; never blocks. */
public interface GroupShards {

    /** {@link Shards#attach}. */
    void attach(Attach attach, LongConsumer appended);

    /** {@link Shards#detach}. */
    void detach(Detach detach, Runnable logged);

    /** {@link Shards#settle}. */
    void settle(String clientId, long epoch, long[] sequences);

    /** {@link Shards#owns}. */
    boolean owns(String clientId);

    /** The real ones. */
    static GroupShards of(Shards shards) {
        return new GroupShards() {
            @Override
            public void attach(Attach attach, LongConsumer appended) {
                shards.attach(attach, appended);
            }

            @Override
            public void detach(Detach detach, Runnable logged) {
                shards.detach(detach, logged);
            }

            @Override
            public void settle(String clientId, long epoch, long[] sequences) {
                shards.settle(clientId, epoch, sequences);
            }

            @Override
            public boolean owns(String clientId) {
                return shards.owns(clientId);
            }
        };
    }
}
