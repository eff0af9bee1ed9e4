package io.tributary.broker.shard;

import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Passes records of the log to the thread of each shard, and pauses a shard that cannot keep up. */
final class ShardReader implements ShardLog.Reader {
    /** How many records may wait for one shard's driver before the log is asked to pause. */
    private static final int MOST_WAITING_RECORDS = 10_000;

    private final ShardLog log;
    private final ShardDrivers drivers;
    private final AtomicIntegerArray waiting;
    private final AtomicIntegerArray paused;

    ShardReader(ShardLog log, ShardDrivers drivers) {
        this.log = log;
        this.drivers = drivers;
        waiting = new AtomicIntegerArray(drivers.count());
        paused = new AtomicIntegerArray(drivers.count());
    }

    @Override
    public void onExpected(int shard, Runnable ready) {
        drivers.tell(shard, driver -> driver.expected(ready));
    }

    @Override
    public void onLeaving(int shard) {
        drivers.tell(shard, ShardDriver::leaving);
    }

    @Override
    public void onAssigned(int shard) {
        drivers.tell(shard, ShardDriver::assigned);
    }

    @Override
    public void onRevoked(int shard, Runnable released) {
        drivers.tell(shard, driver -> driver.revoked(released));
    }

    @Override
    public void onWentBack(int shard, long at) {
        drivers.tell(shard, driver -> driver.wentBack(at));
    }

    @Override
    public void onRecords(int shard, long from, List<LogRecord> records) {
        if (waiting.addAndGet(shard, records.size()) > MOST_WAITING_RECORDS) {
            paused.set(shard, 1);
            log.pause(shard);
        }
        int much = drivers.isLive(shard)
                ? records.size()
                : ShardThread.MUCH; // going live takes as long as there are clients
        ShardDriver driver = drivers.of(shard);
        drivers.threadOf(shard).execute(much, () -> {
            try {
                driver.records(from, records);
            } finally {
                if (waiting.addAndGet(shard, -records.size()) == 0 && paused.compareAndSet(shard, 1, 0)) {
                    driver.readOn();
                }
            }
        });
    }
}
