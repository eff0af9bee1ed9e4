package io.tributary.broker.shard;

import io.tributary.common.time.SteadyClock;
import java.util.List;

/**
 * The clocks of one process: the wall clock that it starts with may be wrong, and the monotonic one has an origin of
 * its own.
 */
final class SimProcessClock {
    private static final List<Long> ERRORS_MILLIS =
            List.of(0L, 700L, -700L, 20_000L, -20_000L, 3_000_000L, -3_000_000L, 86_400_000L, -86_400_000L);
    private static final int HEARTBEAT_MILLIS = 1000;

    private final SimClock clock;
    private final SteadyClock steady;
    private final long originMillis;

    SimProcessClock(SimClock clock, boolean isWrong) {
        this.clock = clock;
        originMillis = isWrong ? clock.between(0, 1_000_000_000) : 0;
        steady = new SteadyClock(
                () -> monotonicMillis() * 1_000_000, clock.nowMillis() + (isWrong ? clock.oneOf(ERRORS_MILLIS) : 0));
        if (isWrong) {
            steady.observed(clock.nowMillis()); // no process serves before it has read the node table
            beat();
        }
    }

    /** Heartbeats tell the time, with a delay. */
    private void beat() {
        long writtenMillis = clock.nowMillis();
        clock.after(clock.between(0, clock.chance(0.1) ? 3000 : 20), () -> steady.observed(writtenMillis));
        clock.after(HEARTBEAT_MILLIS, this::beat);
    }

    long monotonicMillis() {
        return clock.nowMillis() + originMillis;
    }

    /** The time by which messages expire. */
    long millis() {
        return steady.millis();
    }
}
