package io.tributary.broker;

import io.tributary.broker.connection.ConnectionRecorder;
import io.tributary.broker.metrics.Totals;
import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.session.SessionRecorder;
import io.tributary.broker.shard.ShardRecorder;
import io.tributary.persistence.rocksdb.StorageRecorder;

/** What counts the events of each part of a broker. */
public record BrokerRecorders(
        ConnectionRecorder connections,
        SessionRecorder sessions,
        RouterRecorder router,
        ShardRecorder shards,
        StorageRecorder storage) {

    /** The same, with totals that see everything first. */
    BrokerRecorders heardBy(Totals totals) {
        return new BrokerRecorders(
                totals.listenIn(connections),
                totals.listenIn(sessions),
                totals.listenIn(router),
                totals.listenIn(shards),
                storage);
    }

    /** Counts nothing. */
    public static final BrokerRecorders NONE = new BrokerRecorders(
            ConnectionRecorder.NONE,
            SessionRecorder.NONE,
            RouterRecorder.NONE,
            ShardRecorder.NONE,
            StorageRecorder.NONE);
}
