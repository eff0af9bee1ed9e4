package io.tributary.cluster.metrics;

import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.broker.metrics.Meters;
import io.tributary.cluster.kafka.KafkaRecorder;
import java.util.concurrent.atomic.LongAdder;

/** Counts what goes to Kafka and comes back. */
final class KafkaCounters implements KafkaRecorder {
    private final LongAdder records;
    private final LongAdder early;
    private final LongAdder refusals;
    private final LongAdder unreadable;
    private final LongAdder foreign;
    private final LongAdder errors;

    KafkaCounters(Meters meters) {
        records = meters.counter(BrokerMeters.KAFKA_RECORDS);
        early = meters.counter(BrokerMeters.KAFKA_EARLY);
        refusals = meters.counter(BrokerMeters.KAFKA_REFUSALS);
        unreadable = meters.counter(BrokerMeters.KAFKA_UNREADABLE);
        foreign = meters.counter(BrokerMeters.KAFKA_FOREIGN);
        errors = meters.counter(BrokerMeters.KAFKA_ERRORS);
    }

    @Override
    public void onRecords(int count) {
        records.add(count);
    }

    @Override
    public void onEarlyRecords(int count) {
        early.add(count);
    }

    @Override
    public void onRefusal() {
        refusals.increment();
    }

    @Override
    public void onUnreadableRecord() {
        unreadable.increment();
    }

    @Override
    public void onForeignRecord() {
        foreign.increment();
    }

    @Override
    public void onError() {
        errors.increment();
    }
}
