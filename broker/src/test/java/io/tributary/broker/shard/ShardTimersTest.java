package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.offline;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.fold.SessionState;
import org.junit.jupiter.api.Test;

class ShardTimersTest {
    private static final long ALWAYS = Long.MIN_VALUE;

    private final ShardTimers timers = new ShardTimers();

    @Test
    void timerIsDueWhenTheSessionExpires() {
        timers.set(offline("a", 10), ALWAYS);
        assertThat(timers.takeDue(9_999)).isEmpty();
        assertThat(timers.takeDue(10_000)).containsExactly("a");
        assertThat(timers.takeDue(10_000)).isEmpty();
    }

    @Test
    void timerIsDueForWhatComesFirst() {
        SessionState client = offline("a", 10, 4);
        timers.set(client, ALWAYS);
        assertThat(timers.takeDue(4_000)).containsExactly("a");
        timers.set(client, 4_000);
        assertThat(timers.takeDue(9_000)).isEmpty();
        assertThat(timers.takeDue(10_000)).containsExactly("a");
        timers.set(client, 10_000);
        assertThat(timers.takeDue(Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void timerReplacesTheOneBefore() {
        timers.set(offline("a", 10), ALWAYS);
        timers.set(offline("a", 20), ALWAYS);
        assertThat(timers.takeDue(10_000)).isEmpty();
        assertThat(timers.takeDue(20_000)).containsExactly("a");
    }

    @Test
    void nothingIsDueWhenRemoved() {
        timers.set(offline("a", 10), ALWAYS);
        timers.remove("a");
        timers.remove("b");
        assertThat(timers.takeDue(Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void nothingIsDueWhenTheSessionNeverExpires() {
        timers.set(offline("a", SessionState.NEVER_EXPIRES_SECONDS), ALWAYS);
        assertThat(timers.takeDue(Long.MAX_VALUE - 1)).isEmpty();
    }

    @Test
    void earlierTimersAreDueFirstAndABoundedNumberAtOnce() {
        for (int i = 1500; i > 0; i--) {
            timers.set(offline("c" + i, i), ALWAYS);
        }
        assertThat(timers.takeDue(2_000_000)).hasSize(1000).startsWith("c1", "c2");
        assertThat(timers.takeDue(2_000_000)).hasSize(500).startsWith("c1001");
    }

    @Test
    void allAreDueWhenSeveralHaveTheSameTime() {
        timers.set(offline("b", 10), ALWAYS);
        timers.set(offline("a", 10), ALWAYS);
        assertThat(timers.takeDue(10_000)).containsExactly("a", "b");
    }
}
