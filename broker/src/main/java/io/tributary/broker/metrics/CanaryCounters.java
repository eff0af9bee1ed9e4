package io.tributary.broker.metrics;

import io.micrometer.core.instrument.Timer;
import io.tributary.broker.canary.CanaryRecorder;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts what becomes of the canary's messages. */
final class CanaryCounters implements CanaryRecorder {
    private final Map<Kind, Map<To, Timer>> roundTrips = new EnumMap<>(Kind.class);
    private final Map<Kind, Map<To, LongAdder>> lost = new EnumMap<>(Kind.class);

    CanaryCounters(Meters meters) {
        for (Kind kind : Kind.values()) {
            Map<To, Timer> timers = new EnumMap<>(To.class);
            for (To to : To.values()) {
                timers.put(
                        to, meters.timer(BrokerMeters.CANARY_ROUND_TRIP, Meters.tagValue(kind), Meters.tagValue(to)));
            }
            roundTrips.put(kind, timers);
            lost.put(kind, meters.counters(BrokerMeters.CANARY_LOST, To.class, Meters.tagValue(kind)));
        }
    }

    @Override
    public void cameBack(Kind session, To to, long nanos) {
        Objects.requireNonNull(Objects.requireNonNull(roundTrips.get(session)).get(to))
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void lost(Kind session, To to) {
        Meters.of(Objects.requireNonNull(lost.get(session)), to).increment();
    }
}
