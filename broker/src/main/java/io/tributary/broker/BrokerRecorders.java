package io.tributary.broker;

import io.tributary.broker.cluster.ClusterRecorder;
import io.tributary.broker.connection.ConnectionRecorder;
import io.tributary.broker.group.GroupRecorder;
import io.tributary.broker.ingest.IngestRecorder;
import io.tributary.broker.link.LinkRecorder;
import io.tributary.broker.metrics.Totals;
import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.session.SessionRecorder;
import io.tributary.broker.shard.ShardRecorder;
import io.tributary.persistence.kafka.KafkaRecorder;
import io.tributary.persistence.redis.RedisRecorder;
import io.tributary.persistence.rocksdb.StorageRecorder;

/** What counts the events of each part of a broker. */
public record BrokerRecorders(
        ConnectionRecorder connections,
        SessionRecorder sessions,
        RouterRecorder router,
        ShardRecorder shards,
        GroupRecorder groups,
        StorageRecorder storage,
        KafkaRecorder kafka,
        RedisRecorder redis,
        LinkRecorder links,
        ClusterRecorder cluster,
        IngestRecorder ingest) {

    /** The same, with what counts in a cluster. */
    public BrokerRecorders inCluster(
            KafkaRecorder newKafka,
            RedisRecorder newRedis,
            LinkRecorder newLinks,
            ClusterRecorder newCluster,
            IngestRecorder newIngest) {
        return new BrokerRecorders(
                connections,
                sessions,
                router,
                shards,
                groups,
                storage,
                newKafka,
                newRedis,
                newLinks,
                newCluster,
                newIngest);
    }

    /** The same, with totals that see everything first. */
    BrokerRecorders heardBy(Totals totals) {
        return new BrokerRecorders(
                totals.listenIn(connections),
                totals.listenIn(sessions),
                totals.listenIn(router),
                totals.listenIn(shards),
                groups,
                storage,
                kafka,
                redis,
                links,
                cluster,
                ingest);
    }

    /** Counts nothing. */
    public static final BrokerRecorders NONE = new BrokerRecorders(
            ConnectionRecorder.NONE,
            SessionRecorder.NONE,
            RouterRecorder.NONE,
            ShardRecorder.NONE,
            GroupRecorder.NONE,
            StorageRecorder.NONE,
            KafkaRecorder.NONE,
            RedisRecorder.NONE,
            LinkRecorder.NONE,
            ClusterRecorder.NONE,
            IngestRecorder.NONE);
}
