package io.tributary.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedisConfigTest {
    private static final List<RedisConfig.Node> NODES = List.of(new RedisConfig.Node("redis", 6379));

    @Test
    void passwordIsNotPrinted() {
        RedisConfig config =
                RedisConfig.of(NODES).withCredentials(new RedisConfig.Credentials("tributary", "wonderful"));
        assertThat(config.toString()).contains("tributary").doesNotContain("wonderful");
    }

    @Test
    void defaultsAreThoseThatAreDocumented() {
        RedisConfig config = RedisConfig.of(NODES);
        assertThat(config)
                .isEqualTo(new RedisConfig(
                        NODES, null, null, Duration.ofSeconds(5), 10_000, 256, 4096, Duration.ofSeconds(30)));
    }

    @Test
    void valuesOutOfRangeAreRefusedByName() {
        assertThatThrownBy(() -> RedisConfig.of(List.of())).hasMessageContaining("at least one node");
        assertThatThrownBy(() -> RedisConfig.of(NODES).withCommandTimeout(Duration.ofMillis(1)))
                .hasMessageContaining("command-timeout (ms): 1 is not within 100 to 60000");
        assertThatThrownBy(() ->
                        new RedisConfig(NODES, null, null, Duration.ofSeconds(5), 200, 200, 0, Duration.ofSeconds(30)))
                .hasMessageContaining("must be more than concurrent-reads");
        assertThatThrownBy(() -> new RedisConfig.Node("redis", 0)).hasMessageContaining("port: 0");
        assertThatThrownBy(() -> new RedisConfig.Node(" ", 1)).hasMessageContaining("host");
        assertThatThrownBy(() -> new RedisConfig.Tls(Path.of("no-such-file.pem"), true))
                .hasMessageContaining("certificates: no-such-file.pem cannot be read");
        assertThatThrownBy(() -> new RedisConfig.Credentials("tributary", "")).hasMessageContaining("password");
    }

    @Test
    void nodesArePrintedAsAddresses() {
        assertThat(new RedisConfig.Node("redis", 6379)).hasToString("redis:6379");
        assertThat(new RedisConfig.Node("::1", 6379)).hasToString("[::1]:6379");
    }
}
