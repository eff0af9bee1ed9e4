package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.ClientKind;
import org.junit.jupiter.api.Test;

class ShardTimersTest {
    private static final long ALWAYS = Long.MIN_VALUE;

    private final ShardTimers timers = new ShardTimers();

    @Test
    void timerIsDueWhenTheSessionExpires() {
        timers.set(offline("a", 10, Long.MAX_VALUE), ALWAYS);
        assertThat(timers.takeDue(9_999)).isEmpty();
        assertThat(timers.takeDue(10_000)).containsExactly("a");
        assertThat(timers.takeDue(10_000)).isEmpty();
    }

    @Test
    void timerIsDueForWhatComesFirst() {
        ClientState client = offline("a", 10, 4_000);
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
        timers.set(offline("a", 10, Long.MAX_VALUE), ALWAYS);
        timers.set(offline("a", 20, Long.MAX_VALUE), ALWAYS);
        assertThat(timers.takeDue(10_000)).isEmpty();
        assertThat(timers.takeDue(20_000)).containsExactly("a");
    }

    @Test
    void nothingIsDueWhenRemoved() {
        timers.set(offline("a", 10, Long.MAX_VALUE), ALWAYS);
        timers.remove("a");
        timers.remove("b");
        assertThat(timers.takeDue(Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void nothingIsDueWhenTheSessionNeverExpires() {
        timers.set(offline("a", ShardState.NEVER_EXPIRES_SECONDS, Long.MAX_VALUE), ALWAYS);
        assertThat(timers.takeDue(Long.MAX_VALUE - 1)).isEmpty();
    }

    @Test
    void earlierTimersAreDueFirstAndABoundedNumberAtOnce() {
        for (int i = 1500; i > 0; i--) {
            timers.set(offline("c" + i, i, Long.MAX_VALUE), ALWAYS);
        }
        assertThat(timers.takeDue(2_000_000)).hasSize(1000).startsWith("c1", "c2");
        assertThat(timers.takeDue(2_000_000)).hasSize(500).startsWith("c1001");
    }

    @Test
    void allAreDueWhenSeveralHaveTheSameTime() {
        timers.set(offline("b", 10, Long.MAX_VALUE), ALWAYS);
        timers.set(offline("a", 10, Long.MAX_VALUE), ALWAYS);
        assertThat(timers.takeDue(10_000)).containsExactly("a", "b");
    }

    private static ClientState offline(String clientId, long expirySeconds, long willDueAtMillis) {
        ClientState client = new ClientState(clientId, 0, ClientKind.DEVICE);
        client.sessionExpirySeconds = expirySeconds;
        client.willDueAtMillis = willDueAtMillis;
        return client;
    }
}
