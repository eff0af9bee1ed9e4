package io.tributary.common.time;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Something of which the log says so once a minute at most, and how often it has happened. Any thread. */
public final class LineAMinute {
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoClock;
    private final AtomicLong saidNanos;
    private final AtomicLong unsaid = new AtomicLong();

    /** Creates it; nothing has happened yet. */
    public LineAMinute(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        saidNanos = new AtomicLong(nanoClock.getAsLong() - MINUTE_NANOS);
    }

    /**
     * It has happened.
     *
     * @return the end of the line that is due now, which says how often it has happened besides; null while none is due
     */
    public @Nullable String happened() {
        unsaid.incrementAndGet();
        long now = nanoClock.getAsLong();
        long before = saidNanos.get();
        if (now - before < MINUTE_NANOS || !saidNanos.compareAndSet(before, now)) {
            return null;
        }
        long others = unsaid.getAndSet(0) - 1;
        return others > 0 ? " (and " + others + " more since the last such line)" : "";
    }
}
