package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FailureDetectorTest {
    private final FailureDetector silence = new FailureDetector(NodeTableConfig.DEFAULT);
    private long now;

    @Test
    void countsWhenOwnHeartbeatsComeBackInTime() {
        silence.heard("a", now);
        own(1_000, 5, 6);
        assertThat(silence.silentFor(NodeTableConfig.DEFAULT.silence())).containsExactly("a");
        silence.heard("a", now);
        assertThat(silence.silentFor(NodeTableConfig.DEFAULT.silence())).isEmpty();
    }

    /** They come often enough, but each is too old. */
    @Test
    void doesNotCountWhenOwnHeartbeatsAreLate() {
        silence.heard("a", now);
        own(1_000, 1_001, 60);
        assertThat(silence.silentFor(NodeTableConfig.DEFAULT.silence())).isEmpty();
    }

    /** Each is fresh, but there is a pause before each. */
    @Test
    void doesNotCountWhenOwnHeartbeatsAreRare() {
        silence.heard("a", now);
        own(2_001, 5, 60);
        assertThat(silence.silentFor(NodeTableConfig.DEFAULT.silence())).isEmpty();
    }

    private void own(long everyMillis, long lateMillis, int times) {
        for (int i = 0; i < times; i++) {
            now += Duration.ofMillis(everyMillis).toNanos();
            silence.ownHeartbeat(now - Duration.ofMillis(lateMillis).toNanos(), now);
        }
    }
}
