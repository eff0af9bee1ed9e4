package io.tributary.perf.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.perf.scenario.Draw;
import io.tributary.perf.scenario.PublishOptions;
import io.tributary.perf.scenario.PublishOptions.Pacing;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void isDueAtMomentsOfItsOwnWhenPacingIsConstant() {
        Schedule one = schedule(Pacing.CONSTANT, 1);
        Schedule other = schedule(Pacing.CONSTANT, 2);
        one.begin(10 * SECOND);
        other.begin(10 * SECOND);
        assertThat(one.dueNanos()).isBetween(10 * SECOND, 12 * SECOND).isNotEqualTo(other.dueNanos());
        long first = one.dueNanos();
        one.advance();
        assertThat(one.dueNanos() - first).isEqualTo(2 * SECOND);
    }

    @Test
    void isDueAtSameMomentsWhenPacingIsInStep() {
        Schedule one = schedule(Pacing.IN_STEP, 1);
        Schedule other = schedule(Pacing.IN_STEP, 2);
        one.begin(10 * SECOND + 1);
        other.begin(11 * SECOND);
        assertThat(one.dueNanos()).isEqualTo(other.dueNanos()).isEqualTo(12 * SECOND);
        one.advance();
        assertThat(one.dueNanos()).isEqualTo(14 * SECOND);
    }

    /** One message in two seconds. */
    private static Schedule schedule(Pacing pacing, int seed) {
        Draw rate = Draw.constant(0.5);
        PublishOptions options = new PublishOptions("a", 1, 0, Draw.constant(62), rate, pacing, 1, 0, 1, null, false);
        return new Schedule(options, rate, new Random(seed));
    }
}
