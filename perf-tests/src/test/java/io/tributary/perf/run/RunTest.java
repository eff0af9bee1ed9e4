package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.perf.result.Sample;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunTest {

    @Test
    void leavesOutWhatWasDroppedBefore() {
        assertThat(Run.dropped(samples(500, 500, 510))).isEqualTo(10);
        assertThat(Run.dropped(samples(500, -1, 500))).isZero();
    }

    @Test
    void knowsNothingOfDropsWhenBrokerDoesNotSayOrCountsAnew() {
        assertThat(Run.dropped(samples(-1, -1))).isNull();
        assertThat(Run.dropped(samples(500, 520, 3, 600))).isNull();
    }

    /** -1 where the broker does not say. */
    private static List<Sample> samples(long... dropped) {
        return Arrays.stream(dropped)
                .mapToObj(count -> new Sample(
                        0,
                        "measured",
                        0,
                        0,
                        0,
                        Map.of(),
                        Map.of(),
                        Map.of(),
                        Map.of(),
                        Map.of(),
                        count < 0 ? Map.of() : Map.of("messages dropped", count)))
                .toList();
    }
}
