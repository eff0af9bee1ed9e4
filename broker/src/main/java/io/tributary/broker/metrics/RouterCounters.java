package io.tributary.broker.metrics;

import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.sys.SysStats.Flow;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts messages where they are routed. */
final class RouterCounters implements RouterRecorder {
    private final LongAdder[] received;
    private final LongAdder delivered;
    private final Map<Drop, LongAdder> dropped;
    private final Map<Drop, RuleSetCounters> notAuthorized = new EnumMap<>(Drop.class);

    /** @param ruleSets the names of rule sets that are shown */
    RouterCounters(Meters meters, Set<String> ruleSets) {
        received = new LongAdder[QoS.values().length];
        for (QoS qos : QoS.values()) {
            received[qos.code()] = meters.counter(BrokerMeters.MESSAGES_RECEIVED, Integer.toString(qos.code()));
        }
        delivered = meters.counter(BrokerMeters.MESSAGES_DELIVERED);
        dropped = meters.counters(BrokerMeters.MESSAGES_DROPPED, Drop.class, "router", RuleSetCounters.NONE);
        for (Drop reason : List.of(Drop.PUBLISH_NOT_AUTHORIZED, Drop.RECEIVE_NOT_AUTHORIZED)) {
            notAuthorized.put(
                    reason, new RuleSetCounters(meters, "router", reason, ruleSets, Meters.of(dropped, reason)));
        }
    }

    @Override
    public void received(Message message) {
        received[message.qos().code()].increment();
    }

    @Override
    public void delivered(int receivers) {
        delivered.add(receivers);
    }

    @Override
    public void dropped(Drop reason) {
        Meters.of(dropped, reason).increment();
    }

    @Override
    public void notAuthorized(Drop reason, @Nullable String ruleSet) {
        RuleSetCounters counters = notAuthorized.get(reason);
        if (counters == null) {
            dropped(reason);
        } else {
            counters.increment(ruleSet);
        }
    }

    /** Messages that came in, and copies of them that were handed on to receivers. */
    Flow publishes() {
        return new Flow(Meters.sum(Arrays.asList(received)), delivered.sum());
    }

    /** Messages, or copies of them, that somebody was to get. */
    long dropped() {
        long byRules =
                notAuthorized.values().stream().mapToLong(RuleSetCounters::sum).sum();
        return byRules
                + dropped.entrySet().stream()
                        .filter(drop -> drop.getKey() != Drop.NO_SUBSCRIBERS)
                        .mapToLong(drop -> drop.getValue().sum())
                        .sum();
    }

    /** Messages that nobody subscribes to. */
    long unmatched() {
        return Meters.of(dropped, Drop.NO_SUBSCRIBERS).sum();
    }
}
