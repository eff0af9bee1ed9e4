package io.tributary.persistence.redis;

import java.util.List;

final class TestRedis {
    static RedisConfig config() {
        return RedisConfig.of(List.of(new RedisConfig.Node("127.0.0.1", 28101), new RedisConfig.Node("127.0.0.1", 28102)));
    }

    static void clear(RedisCluster cluster) {
        cluster.connection().sync().flushall();
    }

    private TestRedis() {}
}
