package io.tributary.cluster.redis;

import io.tributary.common.event.RecordFormat;
import io.tributary.localcluster.LocalRedis;
import io.tributary.persistence.shard.ShardStore;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Redis Cluster of a test's own, and the owner of a shard that is saved there. */
abstract class ShardOnRedis {
    static final int SHARDS = 4;
    static final int SHARD = 1;
    /** The server that has the shard's slot at first. */
    static final int PRIMARY = 2;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    LocalRedis redis;

    @SuppressWarnings("NullAway.Init")
    RedisCluster cluster;

    final CountingRecorder recorder = new CountingRecorder();

    @SuppressWarnings("NullAway.Init")
    ShardStore store;

    @SuppressWarnings("NullAway.Init")
    Workload owner;

    final void start(LocalRedis.Builder builder) {
        start(builder, Duration.ofSeconds(2));
    }

    final void start(LocalRedis.Builder builder, Duration commandTimeout) {
        redis = builder.start();
        cluster =
                RedisCluster.connect(TestRedis.config(redis).withInlineBytes(0).withCommandTimeout(commandTimeout));
        store = new RedisShardStore(cluster, SHARDS, RecordFormat.alone(), recorder);
        owner = new Workload(store, SHARD);
        owner.claim();
    }

    @AfterEach
    void stop() {
        store.close();
        cluster.close();
        redis.close();
    }
}
