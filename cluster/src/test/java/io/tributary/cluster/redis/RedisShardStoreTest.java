package io.tributary.cluster.redis;

import io.tributary.common.event.RecordFormat;
import io.tributary.localcluster.LocalRedis;
import io.tributary.persistence.contract.ShardStoreContract;
import io.tributary.persistence.shard.ShardStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** With the messages in their queues, as small ones are by default. */
class RedisShardStoreTest extends ShardStoreContract {
    private static final int SHARDS = 4;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalRedis redis;

    @SuppressWarnings("NullAway.Init")
    private static RedisCluster cluster;

    private boolean cleared;

    @BeforeAll
    static void connect() {
        redis = LocalRedis.in(folder).start();
        cluster = RedisCluster.connect(TestRedis.config(redis));
    }

    @AfterAll
    static void disconnect() {
        cluster.close();
        redis.close();
    }

    @Override
    protected ShardStore open() {
        if (!cleared) {
            TestRedis.clear(cluster);
            cleared = true;
        }
        return new RedisShardStore(cluster, SHARDS, RecordFormat.alone(), RedisRecorder.NONE);
    }
}
