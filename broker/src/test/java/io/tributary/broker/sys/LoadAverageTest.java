package io.tributary.broker.sys;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoadAverageTest {
    private final LoadAverage load = new LoadAverage();

    @Test
    void isZeroWhenNothingHappens() {
        load.update(0, 10);

        assertThat(load.text(0)).isEqualTo("0.00");
    }

    @Test
    void countsPerMinuteWhateverTheInterval() {
        LoadAverage often = new LoadAverage();
        for (int second = 1; second <= 60; second++) {
            often.update(second * 10L, 1);
        }
        for (int round = 1; round <= 6; round++) {
            load.update(round * 100L, 10);
        }

        assertThat(often.text(0)).isEqualTo(load.text(0)).isEqualTo("379.27"); // 600 * (1 - 1/e)
        assertThat(often.text(1)).isEqualTo(load.text(1));
    }

    @Test
    void fadesMoreSlowlyOverLongerTimes() {
        load.update(6_000, 60);
        double oneMinute = Double.parseDouble(load.text(0));
        double fifteenMinutes = Double.parseDouble(load.text(2));
        assertThat(oneMinute).isGreaterThan(fifteenMinutes);

        load.update(6_000, 600);

        assertThat(Double.parseDouble(load.text(0))).isLessThan(1);
        assertThat(Double.parseDouble(load.text(2))).isGreaterThan(fifteenMinutes / 3);
    }
}
