package io.tributary.broker.metrics;

import io.tributary.broker.security.Revocations;
import io.tributary.broker.security.store.Ban.Subject;
import io.tributary.broker.security.store.ChangeResult;
import io.tributary.broker.security.store.SecurityRecorder;
import io.tributary.broker.subscription.Withdrawal;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts bans that took effect, changes of security objects, what they take, and requests without the right token. */
final class SecurityCounters implements SecurityRecorder, Revocations.Recorder {
    private final Map<Subject, LongAdder> banned = new EnumMap<>(Subject.class);
    private final Map<Outcome, LongAdder> changes = new EnumMap<>(Outcome.class);
    private final LongAdder unauthorized;
    private final Map<Withdrawal.Change, LongAdder> withdrawn;

    private enum Outcome {
        DONE,
        CONFLICT,
        REFUSED,
        NOT_NOW,
        UNKNOWN
    }

    SecurityCounters(Meters meters) {
        for (Subject subject : Subject.values()) {
            banned.put(subject, meters.counter(BrokerMeters.CLIENTS_BANNED, Meters.tagValue(subject)));
        }
        for (Outcome outcome : Outcome.values()) {
            changes.put(outcome, meters.counter(BrokerMeters.SECURITY_CHANGES, Meters.tagValue(outcome)));
        }
        withdrawn = meters.counters(BrokerMeters.SUBSCRIPTIONS_WITHDRAWN, Withdrawal.Change.class);
        unauthorized = meters.counter(BrokerMeters.API_UNAUTHORIZED);
    }

    @Override
    public void banned(Subject subject) {
        increment(banned.get(subject));
    }

    @Override
    public void changed(ChangeResult result) {
        increment(changes.get(
                switch (result) {
                    case ChangeResult.Done _ -> Outcome.DONE;
                    case ChangeResult.Conflict _ -> Outcome.CONFLICT;
                    case ChangeResult.Refused _ -> Outcome.REFUSED;
                    case ChangeResult.NotNow _ -> Outcome.NOT_NOW;
                    case ChangeResult.Unknown _ -> Outcome.UNKNOWN;
                }));
    }

    @Override
    public void unauthorized() {
        unauthorized.increment();
    }

    @Override
    public void withdrawn(long removed, long lowered) {
        Meters.of(withdrawn, Withdrawal.Change.REMOVED).add(removed);
        Meters.of(withdrawn, Withdrawal.Change.LOWERED).add(lowered);
    }

    private static void increment(@Nullable LongAdder counter) {
        if (counter != null) {
            counter.increment();
        }
    }
}
