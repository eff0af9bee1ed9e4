package io.tributary.broker.metrics;

import io.tributary.broker.group.GroupRecorder;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what happens in shared subscriptions of applications. */
final class GroupCounters implements GroupRecorder {
    private final LongAdder redelivered;
    private final LongAdder deadLetters;
    private final Map<Drop, LongAdder> dropped;

    GroupCounters(Meters meters) {
        redelivered = meters.counter(BrokerMeters.APPLICATION_REDELIVERED);
        deadLetters = meters.counter(BrokerMeters.APPLICATION_DEAD_LETTERS);
        dropped = meters.counters(BrokerMeters.APPLICATION_DROPPED, Drop.class);
    }

    @Override
    public void redelivered() {
        redelivered.increment();
    }

    @Override
    public void putAside() {
        deadLetters.increment();
    }

    @Override
    public void dropped(Drop reason) {
        Meters.of(dropped, reason).increment();
    }
}
