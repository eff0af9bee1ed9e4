package io.tributary.broker.metrics;

import io.micrometer.core.instrument.Timer;
import io.tributary.persistence.rocksdb.StorageRecorder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts what the embedded store does, and measures how long its commits and syncs take. */
final class StorageCounters implements StorageRecorder {
    private final Timer commits;
    private final Timer syncs;
    private final LongAdder writes;
    private final LongAdder written;
    private final LongAdder refusals;
    private final LongAdder errors;

    StorageCounters(Meters meters) {
        commits = meters.timer(BrokerMeters.COMMITS);
        syncs = meters.timer(BrokerMeters.SYNCS);
        writes = meters.counter(BrokerMeters.WRITES);
        written = meters.counter(BrokerMeters.WRITTEN);
        refusals = meters.counter(BrokerMeters.REFUSALS);
        errors = meters.counter(BrokerMeters.STORAGE_ERRORS);
    }

    @Override
    public void onCommit(int count, long bytes, long nanos) {
        commits.record(nanos, TimeUnit.NANOSECONDS);
        writes.add(count);
        written.add(bytes);
    }

    @Override
    public void onRefusal() {
        refusals.increment();
    }

    @Override
    public void onSync(long nanos) {
        syncs.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void onError() {
        errors.increment();
    }
}
