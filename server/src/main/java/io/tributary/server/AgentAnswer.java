package io.tributary.server;

import io.tributary.broker.BrokerStatus;
import io.tributary.broker.deployment.ClusterStatus;
import io.tributary.broker.relocation.DrainStatus;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What HAProxy is told of this broker: {@code ready up 75%}, a weight of 1 to 100 that is the smaller the more of the
 * processors is in use and the later tasks of the event loops begin; {@code drain} while it is drained, for then
 * it keeps its clients and is to get no more; {@code down} while it is not ready for another reason.
 *
 * <p>Processors that are all in use take three quarters of the weight, not all of it: of nodes that a storm of clients
 * keeps busy, one with 97 % in use is not to get three times as many as one with 99 %.
 *
 * <p>Load is smoothed over half a minute, from none: connections are long, and where they go is not to follow from
 * which node a storm of them met first. Thread-safe.
 */
final class AgentAnswer implements Supplier<String> {
    private static final int WHOLE = 100;
    /** The part of the weight that processors take away when all are in use. */
    private static final double OF_PROCESSORS = 0.75;

    /** The delay of event loops that halves the weight. */
    private static final Duration LONG_WAIT = Duration.ofMillis(20);

    /** Within this time a change of load has two thirds of its effect. */
    private static final double MEMORY_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Supplier<BrokerStatus> status;
    private final Supplier<DrainStatus> drain;
    private final DoubleSupplier processors;
    private final Supplier<Duration> loopLag;
    private final LongSupplier nanoTime;

    // Guarded by this.
    private double smooth = 1;
    private long smoothedNanos;

    /**
     * Creates it.
     *
     * @param processors how much of them is in use, 0 to 1; negative where that is not known
     */
    AgentAnswer(
            Supplier<BrokerStatus> status,
            Supplier<DrainStatus> drain,
            DoubleSupplier processors,
            Supplier<Duration> loopLag,
            LongSupplier nanoTime) {
        this.status = status;
        this.drain = drain;
        this.processors = processors;
        this.loopLag = loopLag;
        this.nanoTime = nanoTime;
        smoothedNanos = nanoTime.getAsLong();
    }

    @Override
    public String get() {
        if (drain.get().isDraining()) {
            return "drain";
        }
        BrokerStatus now = status.get();
        ClusterStatus cluster = now.cluster();
        boolean isUp = now.ready()
                && now.problem() == null
                && (cluster == null || cluster.problems().isEmpty());
        return isUp ? "ready up " + weight() + "%" : "down";
    }

    private synchronized int weight() {
        double used = Math.clamp(processors.getAsDouble(), 0, 1);
        double wait = loopLag.get().toNanos() / (double) LONG_WAIT.toNanos();
        double free = (1 - OF_PROCESSORS * used) / (1 + wait);
        long now = nanoTime.getAsLong();
        double part = 1 - Math.exp((smoothedNanos - now) / MEMORY_NANOS);
        smooth += (free - smooth) * part;
        smoothedNanos = now;
        return Math.clamp(Math.round(smooth * WHOLE), 1, WHOLE);
    }
}
