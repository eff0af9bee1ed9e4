package io.tributary.cluster.ingest;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/** Warns at most ten times in ten seconds, and says how often it did not. One thread. */
final class BoundedLog {
    private static final int MOST = 10;
    private static final long PERIOD_NANOS = Duration.ofSeconds(10).toNanos();

    private final Logger log;
    private final LongSupplier nanoTime;
    private long beganNanos;
    private int warned = MOST;
    private long silent;

    BoundedLog(Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
        beganNanos = nanoTime.getAsLong() - PERIOD_NANOS;
    }

    void warn(String format, Object... arguments) {
        if (nanoTime.getAsLong() - beganNanos >= PERIOD_NANOS) {
            beganNanos = nanoTime.getAsLong();
            warned = 0;
        }
        if (warned == MOST) {
            silent++;
            return;
        }
        warned++;
        log.warn(format, arguments);
        if (silent > 0) {
            log.warn("{} more warnings like that were left out", silent);
            silent = 0;
        }
    }
}
