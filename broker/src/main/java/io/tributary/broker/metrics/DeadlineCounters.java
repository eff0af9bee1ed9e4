package io.tributary.broker.metrics;

import io.tributary.broker.routing.PriorityRule;
import io.tributary.common.event.TenantNames;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts messages that expired before they were sent, by the first rule for their topic. Any thread. */
final class DeadlineCounters {
    private final Meters meters;
    private volatile List<Counted> rules = List.of();

    /** A rule, and what is counted for it. */
    private record Counted(PriorityRule rule, LongAdder missed) {}

    DeadlineCounters(Meters meters) {
        this.meters = meters;
    }

    /** Counts for these rules from now on; called once. */
    void countFor(List<PriorityRule> all) {
        rules = all.stream()
                .map(rule -> new Counted(rule, meters.counter(BrokerMeters.DEADLINES_MISSED, rule.name())))
                .toList();
    }

    boolean hasRules() {
        return !rules.isEmpty();
    }

    /** A message on this topic, the name inside, was not sent in time. */
    void missed(String topic) {
        for (Counted counted : rules) {
            if (counted.rule.matches(topic) && !TenantNames.isBrokers(topic)) {
                counted.missed.increment();
                return;
            }
        }
    }
}
