package io.tributary.persistence.redis;

import io.tributary.persistence.contract.ShardStoreContract;
import io.tributary.persistence.shard.ShardStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisShardStoreTest extends ShardStoreContract {
    private static final int SHARDS = 4;

    @SuppressWarnings("NullAway.Init")
    private static RedisCluster cluster;

    private boolean cleared;

    @BeforeAll
    static void connect() {
        cluster = RedisCluster.connect(TestRedis.config());
    }

    @AfterAll
    static void disconnect() {
        cluster.close();
    }

    @Override
    protected ShardStore open() {
        if (!cleared) {
            TestRedis.clear(cluster);
            cleared = true;
        }
        return new RedisShardStore(cluster, SHARDS, RedisRecorder.NONE);
    }
}
