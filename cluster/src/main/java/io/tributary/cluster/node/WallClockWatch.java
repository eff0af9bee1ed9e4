package io.tributary.cluster.node;

import io.tributary.broker.deployment.Loss;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices that this machine's wall clock was set back. Kafka's clients count time by it: until it is where it was, they
 * send no heartbeats to the group of ingest topics, and do not see that a request has lasted too long. Only new clients
 * count anew. Confined to one thread, which looks several times a second.
 */
final class WallClockWatch {
    /** Two heartbeats may come so much later, as Kafka's default session timeout has it. */
    private static final long HARMLESS_MILLIS = 2000;

    private final LongSupplier wallMillis;
    private final LongSupplier nanos;
    private long aheadMillis;
    private @Nullable Loss loss;

    /**
     * Creates one.
     *
     * @param wallMillis the wall clock
     * @param nanos a monotonic clock
     */
    WallClockWatch(LongSupplier wallMillis, LongSupplier nanos) {
        this.wallMillis = wallMillis;
        this.nanos = nanos;
        aheadMillis = ahead();
    }

    /** The reason to stop serving, when the wall clock was set back since this object was made; otherwise null. */
    @Nullable
    Loss look() {
        long before = aheadMillis;
        aheadMillis = ahead();
        long setBackMillis = before - aheadMillis;
        if (setBackMillis > HARMLESS_MILLIS) {
            loss = new Loss(
                    "the wall clock of its machine was set back by %d s, and Kafka's clients count time by it"
                            .formatted(Duration.ofMillis(setBackMillis).toSeconds()),
                    true);
        }
        return loss;
    }

    private long ahead() {
        return wallMillis.getAsLong() - TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong());
    }
}
