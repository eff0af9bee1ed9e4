package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.perf.result.Sample;
import io.tributary.perf.scenario.Library;
import io.tributary.perf.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class LevellingTest {
    private static final Scenario CLOSED = scenario("p2p");

    @Test
    void saysByHowMuchAndWhatToDoWhenRateStillRises() {
        assertThat(Levelling.remarks(CLOSED, samples(20, second -> 1_000 + 20.0 * second)))
                .containsExactly(
                        "The rate has not levelled off: in step measured 1,070 messages a second came in the first"
                                + " third of the time and 1,320 in the last, 23 % more. A longer warm-up, such as --set warmup=60s, gives"
                                + " figures that last.");
    }

    @Test
    void saysNothingWhenRateIsSteadyButForNoise() {
        assertThat(Levelling.remarks(CLOSED, samples(20, second -> 1_000 + second % 3 * 40)))
                .isEmpty();
    }

    @Test
    void saysNothingWhenRateFallsOrGoesUpAndDown() {
        assertThat(Levelling.remarks(CLOSED, samples(20, second -> 1_000 - 20.0 * second)))
                .isEmpty();
        assertThat(Levelling.remarks(CLOSED, samples(20, second -> second < 7 ? 1_000 : second < 14 ? 500 : 2_000)))
                .isEmpty();
    }

    @Test
    void saysNothingWhenStepIsTooShortToTell() {
        assertThat(Levelling.remarks(CLOSED, samples(9, second -> 1_000 * second)))
                .isEmpty();
        assertThat(Levelling.remarks(CLOSED, samples(10, second -> 1_000 * second)))
                .hasSize(1);
    }

    @Test
    void saysNothingWhenScenarioGivesTheRate() {
        assertThat(Levelling.remarks(scenario("p2p-rate"), samples(20, second -> 1_000 * second)))
                .isEmpty();
    }

    private static Scenario scenario(String name) {
        return Library.find(name).runs(Map.of(), null).getFirst().scenario();
    }

    /** A warm-up whose rate rises steeply, and then the measured step. */
    private static List<Sample> samples(int seconds, IntToDoubleFunction rate) {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            samples.add(sample(i, "warm-up", 100.0 * i));
        }
        for (int i = 0; i < seconds; i++) {
            samples.add(sample(15 + i, "measured", rate.applyAsDouble(i)));
        }
        return samples;
    }

    private static Sample sample(double second, String step, double received) {
        return new Sample(
                second, step, received, received, 4, Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), Map.of());
    }
}
