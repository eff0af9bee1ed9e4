package io.tributary.broker.network;

import io.tributary.broker.loop.TokenBucket;
import io.tributary.common.mqtt.ReasonCode;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which new connections a listener takes. A connection beyond the limit is refused in answer to its CONNECT;
 * while many refused connections are open, further ones are closed at once. Any thread.
 */
final class ListenerAdmission {
    /** How many connections may be open just to be refused. */
    private static final int MAX_REFUSING = 1_000;

    private final AdmissionLimits limits;
    private final LongSupplier nanoClock;
    private final @Nullable TokenBucket rate;
    private final AtomicInteger admitted = new AtomicInteger();
    private final AtomicInteger refusing = new AtomicInteger();
    /** What all new connections get; null while there is room. */
    private volatile @Nullable Refused turnsAway;

    /** The decision on a new connection; every verdict but {@link Rejected} is given back with {@link #release}. */
    sealed interface Verdict {}

    /** The connection is taken. */
    record Admitted() implements Verdict {}

    /**
     * Its CONNECT is to be refused.
     *
     * @param serverReference where the client is told to go, or null
     */
    record Refused(ReasonCode reason, @Nullable String serverReference) implements Verdict {}

    /** It is to be closed at once. */
    record Rejected() implements Verdict {}

    ListenerAdmission(AdmissionLimits limits, LongSupplier nanoClock) {
        this.limits = limits;
        this.nanoClock = nanoClock;
        rate = limits.connectsPerSecond() == 0
                ? null
                : new TokenBucket(limits.connectsPerSecond(), limits.connectBurst(), nanoClock.getAsLong());
    }

    /** Decides on a new connection. */
    Verdict decide() {
        Refused away = turnsAway;
        if (away != null) {
            return refuse(away);
        }
        if (!withinRate()) {
            return refuse(ReasonCode.CONNECTION_RATE_EXCEEDED);
        }
        if (tryIncrement(admitted, limits.maxConnections())) {
            return new Admitted();
        }
        return refuse(ReasonCode.QUOTA_EXCEEDED);
    }

    /** Takes no new connection, for another node is to have it, there where it is known; or takes them again. */
    void turnAway(boolean all, @Nullable String serverReference) {
        turnsAway = all ? new Refused(ReasonCode.USE_ANOTHER_SERVER, serverReference) : null;
    }

    /** The connection is closed. */
    void release(Verdict verdict) {
        switch (verdict) {
            case Admitted() -> admitted.decrementAndGet();
            case Refused _ -> refusing.decrementAndGet();
            case Rejected() -> {}
        }
    }

    /** Refuses a new connection, in answer to its CONNECT if there is room for that. */
    Verdict refuse(ReasonCode reason) {
        return refuse(new Refused(reason, null));
    }

    private Verdict refuse(Refused how) {
        return tryIncrement(refusing, MAX_REFUSING) ? how : new Rejected();
    }

    private boolean withinRate() {
        if (rate == null) {
            return true;
        }
        synchronized (rate) {
            return rate.tryTake(nanoClock.getAsLong());
        }
    }

    private static boolean tryIncrement(AtomicInteger count, int most) {
        if (count.incrementAndGet() <= most) {
            return true;
        }
        count.decrementAndGet();
        return false;
    }
}
