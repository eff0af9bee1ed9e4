package io.tributary.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinkConfigTest {
    private static final ClusterSecret SECRET = ClusterSecret.of("0123456789abcdef");

    @Test
    void acceptsDefaults() {
        LinkConfig config = LinkConfig.defaults("cluster", SECRET, "localhost", 7_000);

        assertThat(config.outboundBytes()).isEqualTo(64L * 1024 * 1024);
        assertThat(config.timings().silence()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void showsNoSecretWhenPrinted() {
        assertThat(LinkConfig.defaults("cluster", SECRET, "localhost", 7_000).toString())
                .doesNotContain("0123456789abcdef");
    }

    @Test
    void refusesSecretWhenItIsShort() {
        assertThatThrownBy(() -> ClusterSecret.of("0123456789abcde"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("0123456789");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a#b", "line\nfeed", "esc\u001b[31m", "\u202e", "\ud800"})
    void refusesNameWhenLogsCouldNotShowIt(String name) {
        assertThatThrownBy(() -> new NodeId(name, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LinkConfig.defaults(name, SECRET, "localhost", 7_000))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesNameWhenItIsLong() {
        assertThat(new NodeId("é".repeat(100), 1)).hasToString("é".repeat(100) + "#1");
        assertThatThrownBy(() -> new NodeId("é".repeat(101), 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new NodeId("a", -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesNumbersWhenOutOfRange() {
        assertRefused("h", -1, 1, 1, 1);
        assertRefused("h", 65_536, 1, 1, 1);
        assertRefused("", 1, 1, 1, 1);
        assertRefused("h", 1, 0, 1, 1);
        assertRefused("h", 1, 1, 0, 1);
        assertRefused("h", 1, 1, 1, 0);
    }

    @Test
    void refusesTimingsWhenTheyContradict() {
        assertRefused(5, 20, 20, 20);
        assertRefused(100, 199, 200, 100);
        assertRefused(100, 200, 99, 100);
        assertRefused(100, 200, 200, 0);
        assertRefused(100, 200, 200, 3_600_001);
    }

    @Test
    void waitsLongerWhenAttemptsFail() {
        Backoff backoff = new Backoff();
        assertThat(backoff.next()).isBetween(51L, 100L);
        assertThat(backoff.next()).isBetween(101L, 200L);
        for (int i = 0; i < 20; i++) {
            backoff.next();
        }
        assertThat(backoff.next()).isBetween(1_001L, 2_000L);
        backoff.reset();
        assertThat(backoff.next()).isBetween(51L, 100L);
    }

    @Test
    void saysItOnceWhenItComesAgainWithinAMinute() {
        long[] now = {0};
        RefusalLog log = new RefusalLog(() -> now[0]);

        assertThat(log.isDue("a")).isTrue();
        assertThat(log.isDue("a")).isFalse();
        assertThat(log.isDue("b")).isTrue();
        now[0] = Duration.ofSeconds(60).toNanos();
        assertThat(log.isDue("a")).isTrue();
    }

    @Test
    void saysLittleWhenManyAreRefused() {
        RefusalLog log = new RefusalLog(() -> 0);
        int said = 0;
        for (int i = 0; i < 10_000; i++) {
            said += log.isDue("peer " + i) ? 1 : 0;
        }
        assertThat(said).isEqualTo(256);
    }

    private static void assertRefused(String host, int port, int loops, long outbound, int maxHalfOpen) {
        assertThatThrownBy(() ->
                        new LinkConfig("c", SECRET, host, port, loops, outbound, maxHalfOpen, LinkTimings.DEFAULT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static void assertRefused(long heartbeat, long silence, long maxStall, long handshake) {
        assertThatThrownBy(() -> new LinkTimings(
                        Duration.ofMillis(heartbeat),
                        Duration.ofMillis(silence),
                        Duration.ofMillis(maxStall),
                        Duration.ofMillis(handshake)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
