package io.tributary.cluster.metrics;

import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.broker.metrics.Meters;
import io.tributary.cluster.ingest.IngestRecorder;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts outcomes of records that back-ends produce. */
final class IngestCounters implements IngestRecorder {
    private final LongAdder read;
    private final Map<Outcome, LongAdder> outcomes;

    IngestCounters(Meters meters) {
        read = meters.counter(BrokerMeters.INGEST_READ);
        outcomes = meters.counters(BrokerMeters.INGEST_RECORDS, Outcome.class);
    }

    @Override
    public void read() {
        read.increment();
    }

    @Override
    public void done(Outcome outcome) {
        Meters.of(outcomes, outcome).increment();
    }
}
