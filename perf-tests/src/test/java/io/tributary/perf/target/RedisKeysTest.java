package io.tributary.perf.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.localcluster.LocalRedis;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisKeysTest {

    @Test
    void countsEachKeyOnceAndNothingWhenServerIsGone(@TempDir Path directory) {
        try (LocalRedis redis = LocalRedis.in(directory).replicas(1).start()) {
            RedisKeys keys = new RedisKeys(redis.ports().stream()
                    .map(port -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                    .toList());
            assertThat(keys.getAsLong()).isZero();
            for (int i = 0; i < 10; i++) {
                redis.callCluster(1, "SET", "key-" + i, "value");
            }
            redis.call(1, "WAIT", "1", "5000");
            assertThat(keys.getAsLong()).isEqualTo(10);
            redis.kill(1);
            assertThat(keys.getAsLong()).isEqualTo(-1);
        }
    }
}
