package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tributary.perf.result.Growth;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.Sample;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A run of an hour with a sample each two seconds, unless more is said. */
class SlopesTest {
    private static final int SAMPLES = 1_801;
    private static final int SECONDS = 2;

    @Test
    void isRiseOfLineWhenValuesLieOnOne() {
        Growth memory = only(Slopes.of(memory(second -> 100 + second * 50.0 / 3_600)));
        assertThat(memory.what()).isEqualTo("broker: memory");
        assertThat(memory.unit()).isEqualTo("MB");
        assertThat(memory.perHour()).isCloseTo(50, within(1e-6));
        assertThat(memory.minutes()).as("without the first quarter").isCloseTo(45, within(0.1));
        assertThat(memory.rise()).isCloseTo(37.5, within(0.1));
    }

    @Test
    void isBelowNothingWhenValuesFall() {
        assertThat(only(Slopes.of(memory(second -> 500 - second * 36.0 / 3_600)))
                        .perHour())
                .isCloseTo(-36, within(1e-6));
    }

    @Test
    void isNothingWhenOnlyFirstQuarterGrows() {
        assertThat(only(Slopes.of(memory(second -> Math.min(second, 900)))).perHour())
                .isCloseTo(0, within(1e-6));
    }

    /** What a heap does: up between collections, and down to the same at each. */
    @Test
    void isNothingWhenHeapComesDownToTheSame() {
        List<Growth> growth = Slopes.of(memory(second -> 200 + second % 60 * 5));
        assertThat(only(growth).perHour()).isCloseTo(0, within(1.0));
        assertThat(Slopes.remarks(growth)).isEmpty();
    }

    @Test
    void remarksWhenWhatCollectionsLeaveGrows() {
        List<Growth> growth = Slopes.of(memory(second -> 200 + second % 60 * 5 + second * 100.0 / 3_600));
        assertThat(only(growth).perHour()).isCloseTo(100, within(3.0));
        assertThat(Slopes.remarks(growth))
                .singleElement()
                .asString()
                .startsWith("broker: memory grew by 7")
                .contains(" MB in 45 minutes", "more than 32 counts as growth");
    }

    @Test
    void saysNothingWhenRunIsShort() {
        List<Sample> samples = samples(149, i -> Map.of("broker", 100.0 + i), _ -> Map.of());
        assertThat(samples.getLast().second()).isLessThan(300);
        assertThat(Slopes.of(samples)).isEmpty();
    }

    /** One more thread in four minutes is 15 an hour, and no leak yet. */
    @Test
    void remarksNothingWhenRiseIsNoise() {
        List<Growth> growth = Slopes.of(samples(160, _ -> Map.of(), i -> Map.of("broker", i < 100 ? 30 : 31)));
        assertThat(only(growth).perHour()).isGreaterThan(only(growth).limit());
        assertThat(Slopes.remarks(growth)).isEmpty();
    }

    @Test
    void remarksWhenThreadsAreLost() {
        List<Growth> growth = Slopes.of(samples(SAMPLES, _ -> Map.of(), i -> Map.of("broker", 30 + i / 400)));
        assertThat(Slopes.remarks(growth)).singleElement().asString().startsWith("broker: threads grew by 3.");
    }

    @Test
    void leavesOutToolWhenItGrows() {
        assertThat(Slopes.of(samples(
                        SAMPLES, i -> Map.of(RunResult.TOOL, 1.0 * i, RunResult.TOOL + " 2", 1.0 * i), _ -> Map.of())))
                .isEmpty();
    }

    @Test
    void goesThroughWhatIsThereWhenSamplesAreMissing() {
        List<Growth> growth = Slopes.of(samples(
                SAMPLES,
                i -> i % 7 == 0 || i == SAMPLES - 1 ? Map.of("broker", 100.0 + i * SECONDS * 72.0 / 3_600) : Map.of(),
                _ -> Map.of()));
        assertThat(only(growth).perHour()).isCloseTo(72, within(1e-6));
    }

    @Test
    void namesEachQuantityOfEachProcessWhenAllAreKnown() {
        List<Sample> samples = IntStream.range(0, SAMPLES)
                .mapToObj(i -> new Sample(
                        i * SECONDS,
                        "measured",
                        0,
                        0,
                        0,
                        Map.of(),
                        Map.of("n2", 100.0, "n1", 100.0),
                        Map.of("n1", 20.0),
                        Map.of("n1", 30),
                        Map.of("n1", 40),
                        Map.of("keys in Redis", 1_000L + i)))
                .toList();
        List<Growth> growth = Slopes.of(samples);
        assertThat(growth)
                .extracting(Growth::what)
                .containsExactly(
                        "n1: memory",
                        "n2: memory",
                        "n1: old generation of the heap",
                        "n1: threads",
                        "n1: open files",
                        "keys in Redis");
        assertThat(Slopes.remarks(growth)).singleElement().asString().startsWith("keys in Redis grew by 1350.0 in");
    }

    private static Growth only(List<Growth> growth) {
        assertThat(growth).hasSize(1);
        return growth.getFirst();
    }

    private static List<Sample> memory(IntToDoubleFunction bySecond) {
        return samples(SAMPLES, i -> Map.of("broker", bySecond.applyAsDouble(i * SECONDS)), _ -> Map.of());
    }

    private static List<Sample> samples(
            int count, IntFunction<Map<String, Double>> megabytes, IntFunction<Map<String, Integer>> threads) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Sample(
                        i * SECONDS,
                        "measured",
                        0,
                        0,
                        0,
                        Map.of(),
                        megabytes.apply(i),
                        Map.of(),
                        threads.apply(i),
                        Map.of(),
                        Map.of()))
                .toList();
    }
}
