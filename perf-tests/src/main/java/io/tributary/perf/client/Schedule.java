package io.tributary.perf.client;

import io.tributary.perf.scenario.Draw;
import io.tributary.perf.scenario.PublishOptions;
import io.tributary.perf.scenario.PublishOptions.Pacing;
import java.util.random.RandomGenerator;

/** When the messages of one publisher are due. Not thread-safe. */
final class Schedule {
    private static final double NANOS = 1e9;
    /** A device's rate, drawn, may be next to nothing; it then publishes once an hour. */
    private static final double SLOWEST_RATE = 1.0 / 3600;

    private final Draw rate;
    private final Pacing pacing;
    private final int burst;
    private final RandomGenerator random;
    private long dueNanos;
    private int leftOfBurst;

    Schedule(PublishOptions options, Draw rate, RandomGenerator random) {
        this.rate = rate;
        this.pacing = options.pacing();
        this.burst = options.burst();
        this.random = random;
    }

    /**
     * Begins at a random place within the first interval, so that publishers do not march in step; or, if they shall,
     * at a multiple of the interval on the clock of the run.
     */
    void begin(long nowNanos) {
        leftOfBurst = burst;
        if (pacing == Pacing.IN_STEP) {
            long interval = (long) interval();
            dueNanos = (nowNanos / interval + 1) * interval;
        } else {
            dueNanos = nowNanos + (long) (random.nextDouble() * interval());
        }
    }

    /** When the next message is due. */
    long dueNanos() {
        return dueNanos;
    }

    /** That one is sent: goes on to the next. */
    void advance() {
        switch (pacing) {
            case CONSTANT, IN_STEP -> dueNanos += (long) interval();
            case POISSON -> dueNanos += (long) (random.nextExponential() * interval());
            case BURST -> {
                leftOfBurst--;
                if (leftOfBurst == 0) {
                    leftOfBurst = burst;
                    dueNanos += (long) interval();
                }
            }
        }
    }

    /** Between two messages, or two bursts. */
    private double interval() {
        double seconds = 1 / Math.max(rate.next(random), SLOWEST_RATE);
        return NANOS * (pacing == Pacing.BURST ? seconds * burst : seconds);
    }
}
