package io.tributary.cluster.redis;

import io.tributary.common.event.RecordFormat;
import io.tributary.localcluster.LocalRedis;
import io.tributary.persistence.contract.ShardStoreContract;
import io.tributary.persistence.shard.ShardStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** What is promised of every store, wherever messages lie. */
class RedisShardStoreTest {
    private static final int SHARDS = 4;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalRedis redis;

    @SuppressWarnings("NullAway.Init")
    private static RedisCluster inline;

    @SuppressWarnings("NullAway.Init")
    private static RedisCluster apart;

    @BeforeAll
    static void connect() {
        redis = LocalRedis.in(folder).start();
        inline = RedisCluster.connect(TestRedis.config(redis));
        apart = RedisCluster.connect(TestRedis.config(redis).withInlineBytes(0));
    }

    @AfterAll
    static void disconnect() {
        inline.close();
        apart.close();
        redis.close();
    }

    /** With the messages in their queues, as small ones are by default. */
    @Nested
    class InlineTest extends OnRedis {
        InlineTest() {
            super(inline);
        }
    }

    /** With all messages apart from their queues. */
    @Nested
    class ApartTest extends OnRedis {
        ApartTest() {
            super(apart);
        }
    }

    abstract static class OnRedis extends ShardStoreContract {
        private final RedisCluster cluster;
        private boolean cleared;

        OnRedis(RedisCluster cluster) {
            this.cluster = cluster;
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
}
