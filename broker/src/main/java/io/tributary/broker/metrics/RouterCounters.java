package io.tributary.broker.metrics;

import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.sys.SysStats.Flow;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts messages where they are routed. */
final class RouterCounters implements RouterRecorder {
    private final LongAdder[] received;
    private final LongAdder delivered;
    private final Map<Drop, LongAdder> dropped;

    RouterCounters(Meters meters) {
        received = new LongAdder[QoS.values().length];
        for (QoS qos : QoS.values()) {
            received[qos.code()] = meters.counter(BrokerMeters.MESSAGES_RECEIVED, Integer.toString(qos.code()));
        }
        delivered = meters.counter(BrokerMeters.MESSAGES_DELIVERED);
        dropped = meters.counters(BrokerMeters.MESSAGES_DROPPED, Drop.class, "router");
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

    /** Messages that came in, and copies of them that were handed on to receivers. */
    Flow publishes() {
        return new Flow(Meters.sum(Arrays.asList(received)), delivered.sum());
    }

    /** Messages, or copies of them, that somebody was to get. */
    long dropped() {
        return dropped.entrySet().stream()
                .filter(drop -> drop.getKey() != Drop.NO_SUBSCRIBERS)
                .mapToLong(drop -> drop.getValue().sum())
                .sum();
    }

    /** Messages that nobody subscribes to. */
    long unmatched() {
        return Meters.of(dropped, Drop.NO_SUBSCRIBERS).sum();
    }
}
