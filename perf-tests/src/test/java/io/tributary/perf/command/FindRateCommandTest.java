package io.tributary.perf.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.judge.Snapshot;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.Machine;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.RunResult.TargetFacts;
import io.tributary.perf.result.StepResult;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FindRateCommandTest {
    private static final Duration LIMIT = Duration.ofMillis(100);

    @Test
    void holdsWhenNearlyAllWasSentAndCame() {
        assertThat(whyNot(Map.of(Count.DUE, 1_000L, Count.SENT, 995L, Count.EXPECTED, 995L, Count.FIRST, 990L)))
                .isNull();
    }

    @Test
    void doesNotHoldWhenMoreWasDueThanSent() {
        assertThat(whyNot(Map.of(Count.DUE, 1_000L, Count.SENT, 980L, Count.EXPECTED, 980L, Count.FIRST, 980L)))
                .isEqualTo("not all was sent that was due");
    }

    @Test
    void doesNotHoldWhenWhatWasSentHasNotCome() {
        assertThat(whyNot(Map.of(Count.DUE, 1_000L, Count.SENT, 1_000L, Count.EXPECTED, 1_000L, Count.FIRST, 980L)))
                .isEqualTo("not all came that was sent");
    }

    /** As many came as were sent, but 200 of them had been sent before. */
    @Test
    void doesNotHoldWhenWhatCameIsOfTheWarmUp() {
        Map<Count, Long> counts = new EnumMap<>(Count.class);
        counts.putAll(Map.of(Count.DUE, 1_000L, Count.SENT, 1_000L, Count.EXPECTED, 1_000L, Count.FIRST, 1_000L));
        counts.putAll(Map.of(Count.EXPECTED_MEASURED, 1_000L, Count.FIRST_MEASURED, 800L));
        assertThat(whyNot(counts)).isEqualTo("not all came that was sent");
    }

    @Test
    void doesNotHoldWhenMessagesAreRefused() {
        assertThat(whyNot(Map.of(Count.DUE, 1_000L, Count.SENT, 1_000L, Count.REFUSED, 7L)))
                .isEqualTo("7 messages refused");
    }

    @Test
    void exitCodeIsThatOfLostMessagesWhenSomeAreRefusedThatMayNotBe() {
        Map<Count, Long> counts = Map.of(Count.SENT, 10L, Count.REFUSED, 1L);
        assertThat(ExitCodes.of(List.of(result(counts, Map.of())))).isEqualTo(ExitCodes.LOST);
        assertThat(ExitCodes.of(List.of(result(counts, Map.of("may-drop", true)))))
                .isEqualTo(ExitCodes.DONE);
    }

    private static @Nullable String whyNot(Map<Count, Long> counts) {
        return FindRateCommand.whyNot(result(counts, Map.of()), LIMIT);
    }

    private static RunResult result(Map<Count, Long> counts, Map<String, Object> scenario) {
        Histogram times = Snapshot.histogram();
        times.recordValue(1_000_000);
        StepResult step = new StepResult(
                "measured",
                10,
                counts,
                Map.of(Metric.END_TO_END, Distribution.of(times)),
                0,
                10,
                List.of(),
                0.1,
                0.1,
                0,
                null);
        return new RunResult(
                "test",
                "2026-01-01T00:00:00Z",
                "abc",
                1,
                0,
                new Machine("cpu", 2, 1_024, "Linux", "25"),
                new TargetFacts("broker", "1.0", Map.of()),
                scenario,
                List.of(),
                List.of(),
                step,
                counts,
                0,
                null,
                0,
                List.of(),
                List.of(step),
                List.of(),
                List.of());
    }
}
