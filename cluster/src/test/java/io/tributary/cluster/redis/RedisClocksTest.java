package io.tributary.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RedisClocksTest {
    private static final RedisConfig.Node ONE = new RedisConfig.Node("one", 6379);
    private static final RedisConfig.Node OTHER = new RedisConfig.Node("other", 6379);

    private final RedisClocks clocks = new RedisClocks();

    @Test
    void serverThatIsAheadIsNamed() {
        clocks.note(ONE, at(Duration.ofHours(1)), 0);
        clocks.note(
                OTHER,
                at(Duration.ofHours(1).plusSeconds(90)),
                Duration.ofSeconds(20).toNanos());
        assertThat(clocks.warning())
                .startsWith("The clock of Redis at other:6379 is 70 s ahead of the one at one:6379.");
    }

    @Test
    void nothingIsSaidOfClocksThatAreNotFarApart() {
        clocks.note(ONE, at(Duration.ofHours(1)), 0);
        clocks.note(
                OTHER,
                at(Duration.ofHours(1).plusSeconds(90)),
                Duration.ofSeconds(30).toNanos());
        assertThat(clocks.warning()).isNull();
    }

    @Test
    void nothingIsSaidOfServersThatDoNotTellTheTime() {
        assertThat(clocks.warning()).isNull();
        clocks.note(ONE, RedisInfo.parse("redis_version:7.0.0"), 0);
        clocks.note(OTHER, at(Duration.ofHours(1)), 0);
        assertThat(clocks.warning()).isNull();
    }

    private static RedisInfo at(Duration sinceTheEpoch) {
        return RedisInfo.parse("server_time_usec:" + sinceTheEpoch.toNanos() / 1000 + "\r\n");
    }
}
