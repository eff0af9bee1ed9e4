package io.tributary.common.time;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SteadyClockTest {
    private static final long DAY_MILLIS = 86_400_000;

    private long nanos = 7_000_000;
    private final SteadyClock clock = new SteadyClock(() -> nanos, 1_000_000);

    @Test
    void monotonicClockCarriesTheTimeOn() {
        assertThat(clock.millis()).isEqualTo(1_000_000);
        pass(250);
        assertThat(clock.millis()).isEqualTo(1_000_250);
        assertThat(clock.instant().toEpochMilli()).isEqualTo(1_000_250);
    }

    @Test
    void isSetByWhatIsObservedFirstWhereverTheWallClockIs() {
        clock.observed(1_000_000 - DAY_MILLIS);
        pass(10);
        assertThat(clock.millis()).isEqualTo(1_000_010 - DAY_MILLIS);
    }

    @Test
    void goesAheadAtOnce() {
        clock.observed(2_000);
        clock.observed(5_000);
        assertThat(clock.millis()).isEqualTo(5_000);
    }

    @Test
    void doesNotFallBehindWhenSomethingIsSeenLate() {
        clock.observed(2_000);
        pass(1_000);
        clock.observed(2_200);
        assertThat(clock.millis()).isEqualTo(3_000);
    }

    @Test
    void goesBackWhenAllThatIsSeenForAWhileSaysSo() {
        clock.observed(1_000_000);
        for (int second = 0; second < 10; second++) {
            pass(1_000);
            clock.observed(second == 4 ? 8_900 : 1_000 * second + 3_000);
        }
        assertThat(clock.millis()).as("what was seen with the least delay").isEqualTo(13_900);
    }

    private void pass(long millis) {
        nanos += millis * 1_000_000;
    }
}
