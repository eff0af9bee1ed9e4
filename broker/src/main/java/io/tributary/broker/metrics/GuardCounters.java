package io.tributary.broker.metrics;

import io.tributary.broker.guard.AutomaticBan.Cause;
import io.tributary.broker.guard.AutomaticBan.Kind;
import io.tributary.broker.guard.GuardRecorder;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts bans. */
final class GuardCounters implements GuardRecorder {
    private final Map<Kind, Map<Cause, LongAdder>> banned = new EnumMap<>(Kind.class);

    GuardCounters(Meters meters) {
        for (Kind kind : Kind.values()) {
            banned.put(kind, meters.counters(BrokerMeters.BANNED, Cause.class, Meters.tagValue(kind)));
        }
    }

    @Override
    public void banned(Kind kind, Cause cause) {
        Meters.of(Objects.requireNonNull(banned.get(kind)), cause).increment();
    }
}
