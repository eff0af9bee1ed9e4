package io.tributary.cluster.metrics;

import io.micrometer.core.instrument.Timer;
import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.broker.metrics.Meters;
import io.tributary.cluster.ingest.IngestRecorder;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts outcomes of records that back-ends produce. */
final class IngestCounters implements IngestRecorder {
    private final LongAdder read;
    private final Map<Outcome, LongAdder> outcomes;
    private final Timer delay;

    IngestCounters(Meters meters) {
        read = meters.counter(BrokerMeters.INGEST_READ);
        outcomes = meters.counters(BrokerMeters.INGEST_RECORDS, Outcome.class);
        delay = meters.timer(BrokerMeters.INGEST_DELAY);
    }

    @Override
    public void read() {
        read.increment();
    }

    @Override
    public void delay(Duration age) {
        delay.record(age);
    }

    @Override
    public void done(Outcome outcome) {
        Meters.of(outcomes, outcome).increment();
    }
}
