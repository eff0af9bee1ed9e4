package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LagTest {
    private final Lag lag = new Lag(10);

    @Test
    void isBehindWhatOthersHadReachedUntilItHasReachedThatAtThreeLooks() {
        assertThat(lag.look(0, 100, 0)).isFalse();
        assertThat(lag.look(50, 100, 10)).isFalse();
        assertThat(lag.look(99, 100, 11)).isTrue();
        assertThat(lag.look(100, 100, 12)).isTrue();
        assertThat(lag.look(100, 100, 13)).isTrue();
        assertThat(lag.look(100, 100, 14)).isFalse();
    }

    @Test
    void isNotBehindWhatNobodyHasAnyMore() {
        assertThat(lag.look(0, 100, 0)).isFalse();
        assertThat(lag.look(5, 5, 5)).isFalse();
        assertThat(lag.look(5, 5, 50)).isFalse();
    }
}
