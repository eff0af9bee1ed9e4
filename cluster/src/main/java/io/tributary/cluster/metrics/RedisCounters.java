package io.tributary.cluster.metrics;

import io.micrometer.core.instrument.Timer;
import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.broker.metrics.Meters;
import io.tributary.cluster.redis.RedisRecorder;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts the calls of Redis, and measures how long each kind of them takes. */
final class RedisCounters implements RedisRecorder {
    private final Map<Operation, Timer> calls = new EnumMap<>(Operation.class);
    private final Map<Operation, Map<Failure, LongAdder>> failures = new EnumMap<>(Operation.class);
    private final LongAdder sent;
    private final LongAdder received;
    private volatile int waitingReads;

    RedisCounters(Meters meters) {
        for (Operation operation : Operation.values()) {
            String name = Meters.tagValue(operation);
            calls.put(operation, meters.timer(BrokerMeters.REDIS_CALLS, name));
            failures.put(operation, meters.counters(BrokerMeters.REDIS_FAILURES, Failure.class, name));
        }
        sent = meters.counter(BrokerMeters.REDIS_BYTES, "sent");
        received = meters.counter(BrokerMeters.REDIS_BYTES, "received");
        meters.gauge(BrokerMeters.REDIS_WAITING_READS, () -> waitingReads);
    }

    @Override
    public void onCall(Operation operation, long nanos, long sentBytes, long receivedBytes) {
        Objects.requireNonNull(calls.get(operation)).record(nanos, TimeUnit.NANOSECONDS);
        sent.add(sentBytes);
        received.add(receivedBytes);
    }

    @Override
    public void onFailure(Operation operation, Failure failure) {
        Meters.of(Objects.requireNonNull(failures.get(operation)), failure).increment();
    }

    @Override
    public void onWaitingReads(int count) {
        waitingReads = count;
    }
}
