package io.tributary.perf.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.localcluster.LocalRedis;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisServersTest {

    @Test
    void countsEachKeyOnceAndNothingWhenServerIsGone(@TempDir Path directory) {
        try (LocalRedis redis = LocalRedis.in(directory).replicas(1).start()) {
            RedisServers servers = servers(redis);
            assertThat(servers.keys()).isZero();
            for (int i = 0; i < 10; i++) {
                redis.callCluster(1, "SET", "key-" + i, "value");
            }
            redis.call(1, "WAIT", "1", "5000");
            assertThat(servers.keys()).isEqualTo(10);
            redis.kill(1);
            assertThat(servers.keys()).isEqualTo(-1);
        }
    }

    @Test
    void sayWhatIsOnDiskWhenAsked(@TempDir Path directory) {
        try (LocalRedis redis = LocalRedis.in(directory).appendOnly(true).start()) {
            RedisServers servers = servers(redis);
            assertThat(servers.persistence()).isEqualTo("appendonly yes, appendfsync everysec, no snapshots");
            redis.call(1, "CONFIG", "SET", "appendonly", "no");
            redis.call(1, "CONFIG", "SET", "save", "3600 1 60 10000");
            assertThat(servers.persistence())
                    .isEqualTo("appendonly no, snapshots (save 3600 1 60 10000); appendonly yes, appendfsync everysec,"
                            + " no snapshots");
            redis.kill(1);
            assertThat(servers.persistence()).isEqualTo("not known");
        }
    }

    private static RedisServers servers(LocalRedis redis) {
        return new RedisServers(redis.ports().stream()
                .map(port -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .toList());
    }
}
