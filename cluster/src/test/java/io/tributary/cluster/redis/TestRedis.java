package io.tributary.cluster.redis;

import io.tributary.localcluster.LocalRedis;
import java.time.Duration;
import java.util.List;

/** What tests want of a local Redis Cluster. */
final class TestRedis {
    private TestRedis() {}

    /** The configuration for a cluster, whose last node is left for the client to find; patient with a busy machine. */
    static RedisConfig config(LocalRedis redis) {
        List<RedisConfig.Node> nodes = redis.ports().stream()
                .limit(redis.size() - 1L)
                .map(TestRedis::node)
                .toList();
        return RedisConfig.of(nodes).withCommandTimeout(Duration.ofSeconds(20));
    }

    static RedisConfig.Node node(int port) {
        return new RedisConfig.Node("127.0.0.1", port);
    }

    /** Deletes everything. */
    static void clear(RedisCluster cluster) {
        cluster.connection().sync().flushall();
    }
}
