package io.tributary.perf.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.perf.judge.Count;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeliveriesTest {

    @Test
    void areThoseOfMeasuredStepsWhenResultTellsThemApart() {
        Deliveries deliveries = Deliveries.of(Map.of(
                Count.EXPECTED, 100L, Count.FIRST, 120L, Count.EXPECTED_MEASURED, 100L, Count.FIRST_MEASURED, 75L));
        assertThat(deliveries.share()).isEqualTo(0.75);
        assertThat(deliveries.missing()).isEqualTo(25);
    }

    @Test
    void areAllThatWereCountedWhenOlderVersionWroteResult() {
        Deliveries deliveries = Deliveries.of(Map.of(Count.EXPECTED, 100L, Count.FIRST, 120L));
        assertThat(deliveries).isEqualTo(new Deliveries(100, 120));
        assertThat(deliveries.share()).isOne();
        assertThat(deliveries.missing()).isZero();
    }

    @Test
    void haveNoShareWhenNothingMustCome() {
        assertThat(Deliveries.of(Map.of()).share()).isNaN();
    }
}
