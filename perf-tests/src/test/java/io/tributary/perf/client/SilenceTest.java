package io.tributary.perf.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.perf.judge.Metric;
import io.tributary.perf.judge.Tally;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SilenceTest {
    private static final long MILLI = 1_000_000;

    private final Tally tally = new Tally();
    private final Silence silence = new Silence();

    @Test
    void saysTheLongestOfEachInterval() {
        silence.begin(0);
        silence.received(10 * MILLI);
        silence.received(60 * MILLI);
        silence.received(80 * MILLI);
        assertThat(millis(90)).isEqualTo(50);
        silence.received(100 * MILLI);
        assertThat(millis(110)).as("that of the interval before is over").isEqualTo(20);
    }

    @Test
    void countsInBothWhenItLastsOverTheEndOfAnInterval() {
        silence.begin(0);
        silence.received(10 * MILLI);
        assertThat(millis(40)).isEqualTo(30);
        silence.received(100 * MILLI);
        assertThat(millis(110)).isEqualTo(90);
    }

    @Test
    void saysNothingWhenItsConnectionWasLost() {
        silence.begin(0);
        silence.end();
        silence.received(50 * MILLI);
        assertThat(taken(60)).isNull();
        silence.begin(70 * MILLI);
        assertThat(millis(80)).isEqualTo(10);
    }

    private long millis(long now) {
        Histogram taken = taken(now);
        assertThat(taken).isNotNull();
        return taken == null ? -1 : Math.round(taken.getMaxValue() / (double) MILLI);
    }

    private @Nullable Histogram taken(long now) {
        silence.take(tally, now * MILLI);
        return tally.snapshot().histograms().get(Metric.SILENCE);
    }
}
